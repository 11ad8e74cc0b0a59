#include "core/tokenizer/utf8.h"

namespace earscope {
namespace {

/// What the bytes behind a leading one must be: how many, and the bounds of the first of them (the
/// others are 80..BF). These bounds exclude overlong forms, surrogates and values over U+10FFFF.
struct LeadByte {
    std::size_t following = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    bool valid = true;
};

LeadByte lead_byte(unsigned char byte) {
    if (byte < 0x80) {
        return {};
    }
    if (byte >= 0xC2 && byte <= 0xDF) {
        return {.following = 1};
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        const unsigned char low = byte == 0xE0 ? 0xA0 : 0x80;
        const unsigned char high = byte == 0xED ? 0x9F : 0xBF;
        return {.following = 2, .low = low, .high = high};
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        const unsigned char low = byte == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = byte == 0xF4 ? 0x8F : 0xBF;
        return {.following = 3, .low = low, .high = high};
    }
    return {.valid = false};
}

}  // namespace

Utf8Part examine_utf8(std::string_view bytes, std::size_t position) {
    const LeadByte lead = lead_byte(static_cast<unsigned char>(bytes[position]));
    if (!lead.valid) {
        return {Utf8Kind::IllFormed, 1};
    }
    for (std::size_t i = 1; i <= lead.following; ++i) {
        if (position + i >= bytes.size()) {
            return {Utf8Kind::Incomplete, i};
        }
        const auto byte = static_cast<unsigned char>(bytes[position + i]);
        const unsigned char low = i == 1 ? lead.low : 0x80;
        const unsigned char high = i == 1 ? lead.high : 0xBF;
        if (byte < low || byte > high) {
            return {Utf8Kind::IllFormed, i};
        }
    }
    return {Utf8Kind::Complete, lead.following + 1};
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
    const auto byte = [&] { return static_cast<unsigned char>(text[position++]); };
    const char32_t first = byte();
    if (first < 0x80) {
        return first;
    }
    const int following = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    char32_t value = first & (0x3FU >> following);
    for (int i = 0; i < following; ++i) {
        value = (value << 6) | (byte() & 0x3FU);
    }
    return value;
}

void append_utf8(std::string& out, char32_t code_point) {
    const auto tail = [&](int shift) {
        out.push_back(static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)));
    };
    if (code_point < 0x80) {
        out.push_back(static_cast<char>(code_point));
    } else if (code_point < 0x800) {
        out.push_back(static_cast<char>(0xC0U | (code_point >> 6)));
        tail(0);
    } else if (code_point < 0x10000) {
        out.push_back(static_cast<char>(0xE0U | (code_point >> 12)));
        tail(6);
        tail(0);
    } else {
        out.push_back(static_cast<char>(0xF0U | (code_point >> 18)));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::size_t append_lossy(std::string_view bytes, std::string& out) {
    std::size_t position = 0;
    while (position < bytes.size()) {
        const Utf8Part part = examine_utf8(bytes, position);
        if (part.kind == Utf8Kind::Incomplete) {
            break;
        }
        if (part.kind == Utf8Kind::Complete) {
            out.append(bytes.substr(position, part.length));
        } else {
            out.append(kReplacementCharacter);
        }
        position += part.length;
    }
    return position;
}

std::string decode_lossy(std::string_view bytes) {
    std::string text;
    if (append_lossy(bytes, text) < bytes.size()) {
        text += kReplacementCharacter;
    }
    return text;
}

}  // namespace earscope
