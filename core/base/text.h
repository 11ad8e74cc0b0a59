#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace earscope {

/// Position of the first byte that is not part of well-formed UTF-8 (no overlong forms, no
/// surrogates, nothing above U+10FFFF), or nothing.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Foreign text made fit for one line of an error message: control characters and bytes that are
/// not UTF-8 become \xNN, and what is longer than `longest` bytes is cut at a character and ends
/// in "...".
std::string one_line(std::string_view text, std::size_t longest = 200);

/// The shortest text that means this number, in the C locale: "0.7", "30.0000625".
std::string number_text(double value);

}  // namespace earscope
