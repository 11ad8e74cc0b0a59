#pragma once
#include "core/formats/tensor_view.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// Bound of the safetensors format, checked before the header is read.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// One entry of a safetensors header; `begin` and `end` count from the first byte of the data.
struct SafetensorsEntry {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  ///< sorted by place in the data, which they tile
    std::map<std::string, std::string> metadata;
};

/// Parses and checks a header for a file with `data_bytes` of data. Builds no document: what is not
/// a safetensors header is refused at the first token that does not fit.
/// @throws SnapshotError  names `what`, the tensor and the fault
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                           const std::string& what);

/// Why a tensor cannot have this name (empty, too long, NUL, not UTF-8), or nothing.
/// Shared with the writers.
std::string tensor_name_fault(std::string_view name);

}  // namespace earscope
