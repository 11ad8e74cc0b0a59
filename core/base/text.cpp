#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace earscope {
namespace {

unsigned char byte_at(std::string_view text, std::size_t position) {
    return static_cast<unsigned char>(text[position]);
}

/// Length of the well-formed UTF-8 character at `start`, or 0.
std::size_t character_length(std::string_view text, std::size_t start) {
    const unsigned char lead = byte_at(text, start);
    if (lead < 0x80) {
        return 1;
    }
    std::size_t length = 0;
    unsigned char lowest = 0x80;  // of the second byte: excludes overlong forms and surrogates
    unsigned char highest = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        lowest = lead == 0xE0 ? 0xA0 : 0x80;
        highest = lead == 0xED ? 0x9F : 0xBF;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        lowest = lead == 0xF0 ? 0x90 : 0x80;
        highest = lead == 0xF4 ? 0x8F : 0xBF;
    }
    if (length == 0 || text.size() - start < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned char next = byte_at(text, start + i);
        if (next < lowest || next > highest) {
            return 0;
        }
        lowest = 0x80;
        highest = 0xBF;
    }
    return length;
}

std::string escaped(unsigned char byte) {
    static constexpr std::array<char, 17> kDigits{"0123456789abcdef"};
    return std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t length = character_length(text, position);
        if (length == 0) {
            return position;
        }
        position += length;
    }
    return std::nullopt;
}

std::string one_line(std::string_view text, std::size_t longest) {
    std::string line;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t length = character_length(text, position);
        const unsigned char first = byte_at(text, position);
        const bool plain = length > 0 && first >= 0x20 && first != 0x7F;
        const std::string piece =
            plain ? std::string(text.substr(position, length)) : escaped(first);
        if (line.size() + piece.size() > longest) {
            return line + "...";
        }
        line += piece;
        position += std::max<std::size_t>(length, 1);
    }
    return line;
}

std::string number_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace earscope
