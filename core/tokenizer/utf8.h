#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace earscope {

/// What stands at one place of a byte string.
enum class Utf8Kind {
    Complete,    ///< a whole character
    IllFormed,   ///< a maximal part that can never become a character
    Incomplete,  ///< the string ends within what may still become a character
};

struct Utf8Part {
    Utf8Kind kind = Utf8Kind::Complete;
    std::size_t length = 0;
};

/// Looks at the bytes from `position` (which must be inside) on. Ill-formed parts are cut as WHATWG
/// and Unicode's "maximal subpart" practice say.
Utf8Part examine_utf8(std::string_view bytes, std::size_t position);

/// The code point at `position` of a valid text; `position` moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& position);

void append_utf8(std::string& out, char32_t code_point);

/// Appends the characters of `bytes` to `out`, U+FFFD for each ill-formed part.
/// @return  bytes used up; what is left (at most three) may still become a character
std::size_t append_lossy(std::string_view bytes, std::string& out);

/// The text of `bytes`, with one U+FFFD for a character that is cut off at the end.
std::string decode_lossy(std::string_view bytes);

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace earscope
