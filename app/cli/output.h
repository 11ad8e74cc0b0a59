#pragma once
#include "core/export/tensor_export.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace earscope::cli {

/// Pretty JSON with a line end. Text that is no valid UTF-8 (a file name can be) gets U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// "12.4 MB": three digits and a decimal unit.
std::string byte_text(std::int64_t bytes);

/// Writes everything to a file descriptor; false when it is closed or full.
bool write_all(int descriptor, std::string_view text);

/// Refuses a file that cannot be written before the long run starts: folder missing or read-only,
/// name too long, name of a directory.
/// @throws ExportError
void check_writable(const std::filesystem::path& file);

/// What commands with --out print: {"file":...,"tensors":[{"name","dtype","shape"},...]}.
nlohmann::ordered_json file_summary(const std::filesystem::path& file,
                                    const std::vector<NamedTensor>& tensors);

/// Moves all of `more` behind `tensors`.
void append(std::vector<NamedTensor>& tensors, std::vector<NamedTensor> more);

}  // namespace earscope::cli
