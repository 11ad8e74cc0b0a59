#include "core/snapshot/weights.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_file.h"
#include "core/snapshot/member_file.h"
#include "core/snapshot/name_list.h"

#include <set>

namespace earscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSingle = "model.safetensors";
constexpr std::string_view kIndex = "model.safetensors.index.json";

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
    throw SnapshotError(one_line(file.string(), 500) + ": " + reason);
}

std::map<std::string, std::string> read_weight_map(const fs::path& file) {
    const nlohmann::json index = read_json_file(file);
    if (!index.is_object() || !index.contains("weight_map") ||
        !index.at("weight_map").is_object()) {
        refuse(file, "has no object \"weight_map\"");
    }
    const nlohmann::json& listed = index.at("weight_map");
    if (listed.empty() || listed.size() > kMaxTensorCount) {
        refuse(file, "weight_map lists " + std::to_string(listed.size()) + " tensors, 1 to " +
                         std::to_string(kMaxTensorCount) + " are needed");
    }
    std::map<std::string, std::string> shard_of;
    for (const auto& [tensor, shard] : listed.items()) {
        const std::string what = "weight_map: the shard of tensor " + one_line(tensor);
        if (!shard.is_string()) {
            refuse(file, what + " is not a text");
        }
        const auto& name = shard.get_ref<const std::string&>();
        if (const std::string fault = shard_name_fault(name); !fault.empty()) {
            refuse(file, what + ", \"" + one_line(name, 80) + "\", " + fault);
        }
        shard_of.emplace(tensor, name);
    }
    return shard_of;
}

/// What takes the place of weights in a folder that has none we read.
std::string missing_weights(const fs::path& folder) {
    std::string text = std::string(kSingle) + " (or " + std::string(kIndex) + " and its shards)";
    for (const char* const other : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        if (has_member(folder, other)) {
            text += " - there is only " + std::string(other) +
                    ", which can run code when it is read and is not supported";
            break;
        }
    }
    return text;
}

/// Every tensor where the index says, and nowhere else.
void check_index(const Snapshot& snapshot, const WeightFiles& files) {
    std::vector<std::string> absent;
    std::vector<std::string> misplaced;
    std::vector<std::string> unlisted;
    for (const auto& [tensor, shard] : files.shard_of) {
        const auto found = snapshot.shard_of.find(tensor);
        if (found == snapshot.shard_of.end()) {
            absent.push_back(tensor + " of " + shard);
        } else if (files.shards[found->second] != shard) {
            misplaced.push_back(tensor + " in " + files.shards[found->second] + " instead of " +
                                shard);
        }
    }
    for (const auto& [tensor, shard] : snapshot.shard_of) {
        if (!files.shard_of.contains(tensor)) {
            unlisted.push_back(tensor + " in " + files.shards[shard]);
        }
    }
    std::string fault;
    for (const std::string& part : {name_list(absent, "listed tensors not in their shard"),
                                    name_list(misplaced, "tensors in another shard than listed"),
                                    name_list(unlisted, "tensors not listed")}) {
        fault += (fault.empty() || part.empty() ? "" : "; ") + part;
    }
    if (!fault.empty()) {
        refuse(snapshot.folder / kIndex, "does not fit the shards: " + fault);
    }
}

}  // namespace

WeightFiles find_weight_files(const fs::path& folder) {
    WeightFiles files;
    if (has_member(folder, kSingle)) {  // as the reference: the single file goes first
        find_member(folder, kSingle);
        files.shards.emplace_back(kSingle);
        return files;
    }
    const auto index = find_member(folder, kIndex);
    if (!index) {
        files.missing.push_back(missing_weights(folder));
        return files;
    }
    files.shard_of = read_weight_map(*index);
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : files.shard_of) {
        shards.insert(shard);
    }
    for (const std::string& shard : shards) {
        if (find_member(folder, shard)) {
            files.shards.push_back(shard);
        } else {
            files.missing.push_back(shard);
        }
    }
    return files;
}

void open_weights(Snapshot& snapshot, const WeightFiles& files) {
    std::vector<std::string> twice;
    for (std::size_t i = 0; i < files.shards.size(); ++i) {
        snapshot.shards.push_back(SafetensorsFile::open(snapshot.folder / files.shards[i]));
        for (const auto& [name, tensor] : snapshot.shards.back().tensors()) {
            const auto [place, added] = snapshot.shard_of.emplace(name, i);
            if (!added) {
                twice.push_back(name + " in " + files.shards[place->second] + " and " +
                                files.shards[i]);
                continue;
            }
            snapshot.tensors.emplace(name, tensor);
            snapshot.weight_bytes += static_cast<std::int64_t>(tensor.bytes);
        }
        if (snapshot.tensors.size() > kMaxTensorCount) {
            refuse(snapshot.folder, "more than " + std::to_string(kMaxTensorCount) + " tensors");
        }
    }
    if (!twice.empty()) {
        refuse(snapshot.folder, name_list(twice, "tensors in two shards"));
    }
    if (!files.shard_of.empty()) {
        check_index(snapshot, files);
    }
}

}  // namespace earscope
