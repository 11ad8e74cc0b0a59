#include "core/snapshot/snapshot.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_text.h"
#include "core/snapshot/family.h"
#include "core/snapshot/member_file.h"
#include "core/snapshot/weights.h"

#include <algorithm>
#include <system_error>

namespace earscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTemplateBytes = 1 << 20;

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
    throw SnapshotError(one_line(file.string(), 500) + ": " + reason);
}

/// A JSON object of the snapshot, or an empty one where the file is not there.
nlohmann::json read_object(const fs::path& folder, std::string_view name) {
    const auto file = find_member(folder, name);
    if (!file) {
        return nlohmann::json::object();
    }
    nlohmann::json value = read_json_file(*file);
    if (!value.is_object()) {
        refuse(*file, "an object is needed, not " + std::string(value.type_name()));
    }
    return value;
}

/// "org/name @ 0123abc" for <...>/models--org--name/snapshots/0123abc..., else the folder's name.
std::string display_name(const fs::path& folder) {
    constexpr std::string_view kPrefix = "models--";
    const std::string entry = folder.parent_path().parent_path().filename().string();
    const std::string revision = folder.filename().string();
    if (!blobs_of(folder) || !entry.starts_with(kPrefix)) {
        return one_line(revision);
    }
    std::string name = entry.substr(kPrefix.size());
    if (const auto separator = name.find("--"); separator != std::string::npos) {
        name.replace(separator, 2, "/");
    }
    return one_line(name + " @ " + revision.substr(0, 7));
}

/// tokenizer_config.json holds a text, or a list of named ones of which "default" counts.
std::string template_of(const nlohmann::json& tokenizer_config) {
    const auto found = tokenizer_config.find("chat_template");
    if (found == tokenizer_config.end()) {
        return {};
    }
    if (found->is_string()) {
        return found->get<std::string>();
    }
    for (const nlohmann::json& entry : *found) {
        if (entry.is_object() && entry.value("name", nlohmann::json()) == "default" &&
            entry.contains("template") && entry.at("template").is_string()) {
            return entry.at("template").get<std::string>();
        }
    }
    return {};
}

std::vector<std::pair<std::string, std::int64_t>> list_files(const fs::path& folder) {
    constexpr std::size_t kListed = 10'000;
    std::vector<std::pair<std::string, std::int64_t>> files;
    std::error_code fault;
    for (auto entry = fs::directory_iterator(folder, fault);
         !fault && entry != fs::directory_iterator() && files.size() < kListed;
         entry.increment(fault)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) {
            const auto bytes = entry->file_size(ignored);
            files.emplace_back(entry->path().filename().string(),
                               ignored ? 0 : static_cast<std::int64_t>(bytes));
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// One message about everything that is missing, before anything else is read.
void check_complete(const Snapshot& snapshot, std::vector<std::string> missing) {
    const bool has_parts =
        has_member(snapshot.folder, "vocab.json") && has_member(snapshot.folder, "merges.txt");
    if (!has_parts && !has_member(snapshot.folder, "tokenizer.json")) {
        missing.emplace_back("tokenizer.json (or vocab.json and merges.txt)");
    }
    if (missing.empty()) {
        return;
    }
    std::string text;
    for (const std::string& name : missing) {
        text += (text.empty() ? "" : ", ") + name;
        if (text.size() > 4000) {
            text += ", ...";
            break;
        }
    }
    refuse(snapshot.folder, "recognised as " + std::string(family_name(snapshot.family)) + " (" +
                                snapshot.recognised_by + "), but files are missing: " + text +
                                "; download the snapshot again");
}

void read_side_files(Snapshot& snapshot) {
    snapshot.generation_config = read_object(snapshot.folder, "generation_config.json");
    snapshot.tokenizer_config = read_object(snapshot.folder, "tokenizer_config.json");
    if (has_member(snapshot.folder, "processor_config.json")) {
        snapshot.processor_config = read_object(snapshot.folder, "processor_config.json");
    } else {
        snapshot.processor_config = read_object(snapshot.folder, "preprocessor_config.json");
    }
    if (const auto file = find_member(snapshot.folder, "chat_template.jinja")) {
        snapshot.chat_template = read_text_file(*file, kTemplateBytes);
    } else {
        snapshot.chat_template = template_of(snapshot.tokenizer_config);
    }
    const std::string family(family_name(snapshot.family));
    if (snapshot.processor_config.empty()) {
        snapshot.notices.push_back(
            "processor_config.json and preprocessor_config.json are missing; " + family +
            "'s own audio settings are used");
    }
    if (snapshot.chat_template.empty()) {
        snapshot.notices.push_back("chat_template.jinja is missing; " + family +
                                   "'s own prompt form is used");
    }
    if (snapshot.generation_config.empty()) {
        snapshot.notices.emplace_back(
            "generation_config.json is missing; the end tokens are those of config.json");
    }
}

}  // namespace

Snapshot open_snapshot(const fs::path& given) {
    Snapshot snapshot;
    snapshot.folder = resolve_snapshot(given);
    snapshot.name = display_name(snapshot.folder);
    snapshot.config = read_object(snapshot.folder, "config.json");
    const auto recognised = recognise_family(snapshot.config);
    if (!recognised) {
        refuse(snapshot.folder / "config.json", unsupported_family(snapshot.config));
    }
    snapshot.family = recognised->family;
    snapshot.recognised_by = recognised->by;

    const WeightFiles weights = find_weight_files(snapshot.folder);
    check_complete(snapshot, weights.missing);
    read_side_files(snapshot);
    open_weights(snapshot, weights);
    snapshot.files = list_files(snapshot.folder);
    return snapshot;
}

}  // namespace earscope
