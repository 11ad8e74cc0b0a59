#pragma once
// What the strict JSON readers of this folder share.
#include "core/formats/json_file.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace earscope {

/// Refuses what nlohmann's lexer lets pass or reports badly: a byte order mark, NUL (which it takes
/// for the end of the text), text that is not UTF-8, and a text over the limit.
/// @throws SnapshotError
void check_json_text(std::string_view text, const std::string& what, const JsonLimits& limits);

/// nlohmann's parse error as one line without its exception numbers.
std::string json_fault(const nlohmann::detail::exception& error);

/// Reads a whole regular file of at most `limit` bytes.
/// @throws SnapshotError  not there, not regular, not readable, too large
std::string read_text_file(const std::filesystem::path& file, std::int64_t limit);

}  // namespace earscope
