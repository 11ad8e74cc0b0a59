#include "core/tokenizer/tokenizer_files.h"

#include "core/base/errors.h"
#include "core/tokenizer/utf8.h"

namespace earscope {

std::string quote_text(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out = "\"";
    std::size_t position = 0;
    while (position < text.size() && out.size() < kLongest) {
        const Utf8Part part = examine_utf8(text, position);
        const auto byte = static_cast<unsigned char>(text[position]);
        if (part.kind != Utf8Kind::Complete) {
            out += kReplacementCharacter;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += kDigits[byte >> 4];
            out += kDigits[byte & 0xFU];
        } else {
            out += text.substr(position, part.length);
        }
        position += part.length;
    }
    return out + (position < text.size() ? "...\"" : "\"");
}

std::pair<std::string, std::string> parse_merge(std::string_view line, const std::string& source,
                                                std::size_t number) {
    const std::size_t space = line.find(' ');
    const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                     line.find(' ', space + 1) == std::string_view::npos;
    if (!two) {
        throw SnapshotError(source + ": merge " + std::to_string(number) + " " + quote_text(line) +
                            " does not have two parts");
    }
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

}  // namespace earscope
