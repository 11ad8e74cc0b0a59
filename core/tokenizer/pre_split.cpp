#include "core/tokenizer/pre_split.h"

#include "core/tokenizer/unicode_tables.h"
#include "core/tokenizer/utf8.h"

#include <algorithm>
#include <cstddef>

namespace earscope {
namespace {

template <std::size_t N>
bool holds(const std::array<CodePointRange, N>& ranges, char32_t code_point) {
    const auto after = std::upper_bound(
        ranges.begin(), ranges.end(), code_point,
        [](char32_t value, const CodePointRange& range) { return value < range.first; });
    return after != ranges.begin() && code_point <= std::prev(after)->last;
}

CharacterClass look_up(char32_t code_point) {
    if (holds(kLetterRanges, code_point)) {
        return CharacterClass::Letter;
    }
    if (holds(kNumberRanges, code_point)) {
        return CharacterClass::Number;
    }
    return holds(kSpaceRanges, code_point) ? CharacterClass::Space : CharacterClass::Other;
}

struct Character {
    char32_t code_point = 0;
    CharacterClass kind = CharacterClass::Other;
    std::size_t end = 0;  ///< where the next one begins

    bool is_break() const { return code_point == U'\r' || code_point == U'\n'; }
};

/// Each `match_` function tries one alternative at a place and gives the end of the match, or the
/// place itself when there is none.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::size_t word_end(std::size_t start) const {
        const Character first = at(start);
        if (first.code_point == U'\'') {
            if (const std::size_t end = match_contraction(first.end); end != first.end) {
                return end;
            }
        }
        if (const std::size_t end = match_letters(first, start); end != start) {
            return end;
        }
        if (first.kind == CharacterClass::Number) {
            return first.end;
        }
        if (const std::size_t end = match_others(first, start); end != start) {
            return end;
        }
        return match_space(start);
    }

private:
    Character at(std::size_t position) const {
        Character result;
        result.end = position;
        result.code_point = next_code_point(text_, result.end);
        result.kind = character_class(result.code_point);
        return result;
    }

    /// Behind an apostrophe: s t re ve m ll d in either case; U+017F counts as an s.
    std::size_t match_contraction(std::size_t start) const {
        if (start >= text_.size()) {
            return start;
        }
        const auto lower = [&](std::size_t position) {
            const char c = position < text_.size() ? text_[position] : '\0';
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        };
        const char first = lower(start);
        if (first == 's' || first == 't' || first == 'm' || first == 'd') {
            return start + 1;
        }
        const char second = lower(start + 1);
        if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
            (first == 'l' && second == 'l')) {
            return start + 2;
        }
        constexpr std::string_view kLongS = "\xC5\xBF";
        return text_.substr(start, 2) == kLongS ? start + 2 : start;
    }

    /// [^\r\n\p{L}\p{N}]?\p{L}+
    std::size_t match_letters(const Character& first, std::size_t start) const {
        if (first.kind == CharacterClass::Letter) {
            return skip(first.end, CharacterClass::Letter);
        }
        if (first.kind == CharacterClass::Number || first.is_break() || first.end >= text_.size()) {
            return start;
        }
        const Character second = at(first.end);
        return second.kind == CharacterClass::Letter ? skip(second.end, CharacterClass::Letter)
                                                     : start;
    }

    /// " ?[^\s\p{L}\p{N}]+[\r\n]*"
    std::size_t match_others(const Character& first, std::size_t start) const {
        std::size_t end = start;
        if (first.kind == CharacterClass::Other) {
            end = first.end;
        } else if (first.code_point == U' ' && first.end < text_.size()) {
            const Character second = at(first.end);
            if (second.kind != CharacterClass::Other) {
                return start;
            }
            end = second.end;
        } else {
            return start;
        }
        end = skip(end, CharacterClass::Other);
        while (end < text_.size() && (text_[end] == '\r' || text_[end] == '\n')) {
            ++end;
        }
        return end;
    }

    /// \s*[\r\n]+|\s+(?!\S)|\s+ : up to the last line break of the run; else the run, without its
    /// last character if that may begin the next word.
    std::size_t match_space(std::size_t start) const {
        std::size_t end = start;
        std::size_t last = start;
        std::size_t after_break = start;
        while (end < text_.size()) {
            const Character character = at(end);
            if (character.kind != CharacterClass::Space) {
                break;
            }
            last = end;
            end = character.end;
            if (character.is_break()) {
                after_break = end;
            }
        }
        if (after_break != start) {
            return after_break;
        }
        return end == text_.size() || last == start ? end : last;
    }

    std::size_t skip(std::size_t position, CharacterClass kind) const {
        while (position < text_.size()) {
            const Character character = at(position);
            if (character.kind != kind) {
                break;
            }
            position = character.end;
        }
        return position;
    }

    std::string_view text_;
};

}  // namespace

CharacterClass character_class(char32_t code_point) {
    if (code_point < 0x80) {
        if ((code_point >= U'a' && code_point <= U'z') ||
            (code_point >= U'A' && code_point <= U'Z')) {
            return CharacterClass::Letter;
        }
        if (code_point >= U'0' && code_point <= U'9') {
            return CharacterClass::Number;
        }
        const bool space = code_point == U' ' || (code_point >= 0x09 && code_point <= 0x0D);
        return space ? CharacterClass::Space : CharacterClass::Other;
    }
    return look_up(code_point);
}

std::vector<std::string_view> pre_split(std::string_view text) {
    const Scanner scanner(text);
    std::vector<std::string_view> words;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = scanner.word_end(start);
        words.push_back(text.substr(start, end - start));
        start = end;
    }
    return words;
}

}  // namespace earscope
