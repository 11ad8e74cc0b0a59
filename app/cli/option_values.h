#pragma once
#include "app/cli/options.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace earscope::cli {

// Texts of options as values; each throws UsageError, which names the option and what it takes.

/// .safetensors or .npz
std::filesystem::path parse_out(const std::string& text);
/// .json, .md, .safetensors or .npz
std::filesystem::path parse_comparison_out(const std::string& text);
std::uint64_t parse_seed(const std::string& text, const std::string& option = "--seed");
std::int64_t parse_number(const std::string& option, const std::string& text);
/// "0,3"
std::vector<std::int64_t> parse_heads(const std::string& text);
/// "G:ID"
TokenReplacement parse_continuation(const std::string& text);
/// `--grad` and `--wrt`
GradientSelection parse_gradients(const std::string& loss, const std::string& names);

}  // namespace earscope::cli
