#include "core/tokenizer/byte_characters.h"

#include "core/tokenizer/utf8.h"

#include <cstddef>

namespace earscope {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;

constexpr bool stands_for_itself(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

/// The byte of each code point below U+0144, -1 for those that are no byte character.
constexpr std::array<int, 0x144> make_byte_of_character() {
    std::array<int, 0x144> table{};
    table.fill(-1);
    char32_t substitute = kFirstSubstitute;
    for (unsigned byte = 0; byte < 256; ++byte) {
        table[stands_for_itself(byte) ? byte : substitute++] = static_cast<int>(byte);
    }
    return table;
}

constexpr std::array<int, 0x144> kByteOfCharacter = make_byte_of_character();

}  // namespace

const std::array<std::string, 256>& byte_characters() {
    static const std::array<std::string, 256> table = [] {
        std::array<std::string, 256> made;
        for (std::size_t character = 0; character < kByteOfCharacter.size(); ++character) {
            if (kByteOfCharacter[character] >= 0) {
                append_utf8(made[static_cast<std::size_t>(kByteOfCharacter[character])],
                            static_cast<char32_t>(character));
            }
        }
        return made;
    }();
    return table;
}

std::string piece_bytes(std::string_view piece) {
    std::string bytes;
    bytes.reserve(piece.size());
    std::size_t position = 0;
    while (position < piece.size()) {
        const char32_t character = next_code_point(piece, position);
        if (character >= kByteOfCharacter.size() || kByteOfCharacter[character] < 0) {
            return std::string(piece);
        }
        bytes.push_back(static_cast<char>(kByteOfCharacter[character]));
    }
    return bytes;
}

}  // namespace earscope
