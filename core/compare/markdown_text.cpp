#include "core/compare/markdown_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace earscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// The code point at the begin of well-formed UTF-8, with its bytes.
std::pair<std::uint32_t, std::size_t> first_code_point(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t count = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t code = count == 1 ? lead : lead & (0xFFU >> (count + 1));
    for (std::size_t i = 1; i < count; ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    return {code, count};
}

/// Control characters and those that reorder or hide what stands around them.
bool is_invisible(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

bool ends_with_www(std::string_view line) {
    return line.size() >= 3 &&
           std::all_of(line.end() - 3, line.end(), [](char c) { return c == 'w' || c == 'W'; });
}

/// Whether a backslash must stand before this ASCII character. Some act anywhere, some only where a
/// line begins or as part of a link or emoji name; everything else stays readable as it is.
///
/// @param before  what stands before it in the written line
/// @param after   what comes after it in the text
bool needs_backslash(char c, std::string_view before, std::string_view after) {
    if (std::string_view("\\`*_[]~$").find(c) != std::string_view::npos) {
        return true;
    }
    const char next = after.empty() ? ' ' : after.front();
    const bool starts = before.find_first_not_of(' ') == std::string_view::npos;
    switch (c) {
        case '#':
        case '-':
        case '+':
        case '=':
            return starts;
        case '.':
        case ')':  // "1." and "1)" begin lists
            return (!before.empty() &&
                    before.find_first_not_of(" 0123456789") == std::string_view::npos) ||
                   (c == '.' && ends_with_www(before));
        case ':':
            return starts || next == '/' || next == '+' || next == '-' ||
                   (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
        default:
            return false;
    }
}

/// @param after  what comes after the character in the text
void add_character(std::string& line, std::uint32_t code, std::string_view bytes,
                   std::string_view after) {
    switch (code) {
        case '\n':
            line += "↵";
            return;
        case '&':
            line += "&amp;";
            return;
        case '<':
            line += "&lt;";
            return;
        case '>':
            line += "&gt;";
            return;
        case '|':
            line += "&#124;";  // a backslash would do in a table only
            return;
        case '@':
            line += "&#64;";
            return;
        default:
            break;
    }
    if (is_invisible(code)) {
        std::array<char, 16> name{};
        std::snprintf(name.data(), name.size(), "\\[U+%04X\\]", static_cast<unsigned>(code));
        line += name.data();
        return;
    }
    if (code < 0x80 && needs_backslash(static_cast<char>(code), line, after)) {
        line += '\\';
    }
    line += bytes;
}

}  // namespace

std::string markdown_line(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const std::size_t good = first_invalid_utf8(text).value_or(text.size());
        for (std::size_t i = 0; i < good;) {
            const auto [code, count] = first_code_point(text.substr(i));
            add_character(line, code, text.substr(i, count), text.substr(i + count));
            i += count;
        }
        text.remove_prefix(good);
        if (!text.empty()) {
            line += kReplacement;
            text.remove_prefix(1);
        }
    }
    // Spaces at the ends would be lost or, four of them, make code.
    constexpr std::string_view kSpace = "&nbsp;";
    for (std::size_t i = 0; line.compare(i, 1, " ") == 0; i += kSpace.size()) {
        line.replace(i, 1, kSpace);
    }
    std::size_t tail = 0;
    while (tail < line.size() && line[line.size() - 1 - tail] == ' ') {
        ++tail;
    }
    line.resize(line.size() - tail);
    for (; tail > 0; --tail) {
        line += kSpace;
    }
    return line;
}

std::string markdown_quote(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(markdown_line(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    std::string quote;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        // A backslash breaks the line; before an empty one, which ends the paragraph, it would
        // show.
        const bool breaks = !lines[i].empty() && i + 1 < lines.size() && !lines[i + 1].empty();
        quote += (lines[i].empty() ? ">" : "> ") + lines[i] + (breaks ? "\\\n" : "\n");
    }
    return quote;
}

}  // namespace earscope
