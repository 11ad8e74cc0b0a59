#pragma once
#include <array>
#include <string>
#include <string_view>

namespace earscope {

/// The character that stands for each byte in byte-level vocabularies: printable Latin-1 characters
/// stand for themselves, the other 68 bytes for U+0100 and following, in order.
const std::array<std::string, 256>& byte_characters();

/// The bytes a piece of the vocabulary stands for. A piece that holds any other character is no
/// byte-level piece and stands for its own UTF-8.
std::string piece_bytes(std::string_view piece);

}  // namespace earscope
