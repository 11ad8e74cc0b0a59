#include "core/base/atomic_file.h"
#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/export_checks.h"
#include "core/formats/safetensors.h"
#include "core/formats/safetensors_header.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace earscope {
namespace {

constexpr std::string_view kMetadata = "__metadata__";

/// Order of the data: large elements first, else as given.
std::vector<std::size_t> data_order(std::span<const TensorView> tensors) {
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return dtype_size(tensors[a].dtype) > dtype_size(tensors[b].dtype);
    });
    return order;
}

void check_metadata(const std::filesystem::path& file,
                    const std::map<std::string, std::string>& metadata) {
    for (const auto& [key, value] : metadata) {
        if (first_invalid_utf8(key) || first_invalid_utf8(value)) {
            throw ExportError("cannot write " + one_line(file.string(), 500) + ": metadata \"" +
                              one_line(key) + "\" is not UTF-8");
        }
    }
}

std::string header_text(std::span<const TensorView> tensors, const std::vector<std::size_t>& order,
                        const std::map<std::string, std::string>& metadata) {
    std::vector<std::size_t> begins(tensors.size());
    std::size_t position = 0;
    for (const std::size_t index : order) {
        begins[index] = position;
        position += tensors[index].bytes;
    }
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        header[std::string(kMetadata)] = metadata;
    }
    std::string text = header.dump();
    text.pop_back();  // the members follow; ordered_json would search its list for each
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TensorView& tensor = tensors[i];
        const nlohmann::ordered_json entry = {
            {"dtype", dtype_name(tensor.dtype)},
            {"shape", tensor.shape},
            {"data_offsets", {begins[i], begins[i] + tensor.bytes}}};
        text +=
            (text.size() > 1 ? "," : "") + nlohmann::json(tensor.name).dump() + ":" + entry.dump();
    }
    text += '}';
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata, std::stop_token stop,
                       const ProgressCallback& progress) {
    check_export_tensors(file, tensors, kMetadata);
    check_metadata(file, metadata);
    const std::vector<std::size_t> order = data_order(tensors);
    const std::string header = header_text(tensors, order, metadata);
    if (header.size() > kMaxSafetensorsHeader) {
        throw ExportError("cannot write " + one_line(file.string(), 500) + ": a header of " +
                          std::to_string(header.size()) + " bytes is too long for the format");
    }
    const std::uint64_t length = header.size();
    std::uint64_t total = sizeof(length) + length;
    for (const TensorView& tensor : tensors) {
        total += tensor.bytes;
    }

    throw_if_stopped(stop);
    AtomicFile output(file);
    output.expect(total);
    output.write(&length, sizeof(length));
    output.write(header.data(), header.size());
    std::uint64_t done = sizeof(length) + length;
    const auto tell = [&] {
        report(progress, Stage::Export, static_cast<std::int64_t>(done),
               static_cast<std::int64_t>(total));
    };
    tell();
    for (const std::size_t index : order) {
        const TensorView& tensor = tensors[index];
        for (std::size_t at = 0; at < tensor.bytes; at += kExportBlockBytes) {
            throw_if_stopped(stop);
            const std::size_t block = std::min(kExportBlockBytes, tensor.bytes - at);
            output.write(tensor.data + at, block);
            done += block;
            tell();
        }
    }
    throw_if_stopped(stop);
    output.commit();
}

}  // namespace earscope
