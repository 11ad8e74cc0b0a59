#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace earscope {

/// Limits for files that come from outside.
struct JsonLimits {
    std::int64_t bytes = 64LL << 20;
    int depth = 64;
    std::int64_t values = 8'000'000;  ///< bounds the memory of many small values
};
inline constexpr JsonLimits kTokenizerJsonLimits{256LL << 20, 128};

/// Strict JSON: one root, valid UTF-8, no byte order mark, no duplicate key, bounded size and depth
/// (checked before and while parsing, so that nesting cannot exhaust the stack).
/// @throws SnapshotError  names `what` and the fault
nlohmann::json parse_json(std::string_view text, const std::string& what,
                          const JsonLimits& limits = {});

/// Reads a regular file (never blocks on a FIFO) and parses it.
/// @throws SnapshotError
nlohmann::json read_json_file(const std::filesystem::path& file, const JsonLimits& limits = {});

}  // namespace earscope
