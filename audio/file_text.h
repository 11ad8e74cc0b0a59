#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace earscope {

/// A path for a message: one line of valid UTF-8. Control characters and bytes that are not UTF-8
/// are written as \n, \t or \xNN; everything else stands as it is.
std::string file_text(const std::filesystem::path& file);

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

}  // namespace earscope
