#pragma once
// The split pattern as a small backtracking matcher over the classes of unicode_tables.json: slow,
// but written after the regular expression item by item, so that the scanner has something to be
// compared with.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace earscope {

class PatternReference {
public:
    explicit PatternReference(const nlohmann::json& tables)
        : letters_(marks(tables.at("letters"))),
          numbers_(marks(tables.at("numbers"))),
          spaces_(marks(tables.at("spaces"))) {
        add_contractions(tables.at("contraction_characters"));
        const Set letter = [this](char32_t c) { return bool(letters_[c]); };
        const Set number = [this](char32_t c) { return bool(numbers_[c]); };
        const Set space = [this](char32_t c) { return bool(spaces_[c]); };
        const Set line_break = [](char32_t c) { return c == U'\r' || c == U'\n'; };
        const Set blank = [](char32_t c) { return c == U' '; };
        const Set before_letters = [=](char32_t c) {
            return !line_break(c) && !letter(c) && !number(c);
        };
        const Set other = [=](char32_t c) { return !space(c) && !letter(c) && !number(c); };
        alternatives_.push_back({{before_letters, 0, 1}, {letter, 1, kAny}});
        alternatives_.push_back({{number, 1, 1}});
        alternatives_.push_back({{blank, 0, 1}, {other, 1, kAny}, {line_break, 0, kAny}});
        alternatives_.push_back({{space, 0, kAny}, {line_break, 1, kAny}});
        alternatives_.push_back({{space, 1, kAny}, {{}, 0, 0}});  // (?!\S)
        alternatives_.push_back({{space, 1, kAny}});
        is_space_ = space;
    }

    /// The stretches of the text; a character that no alternative matches would stand alone.
    std::vector<std::u32string> split(const std::u32string& text) const {
        std::vector<std::u32string> parts;
        std::size_t start = 0;
        while (start < text.size()) {
            std::size_t end = start;
            for (const auto& items : alternatives_) {
                end = match(items, 0, text, start);
                if (end != kNoMatch) {
                    break;
                }
            }
            end = end == kNoMatch ? start + 1 : end;
            parts.push_back(text.substr(start, end - start));
            start = end;
        }
        return parts;
    }

    /// Whether the two characters are of different classes (letters, numbers, white space).
    bool differ(char32_t a, char32_t b) const {
        return letters_[a] != letters_[b] || numbers_[a] != numbers_[b] || spaces_[a] != spaces_[b];
    }

private:
    using Set = std::function<bool(char32_t)>;
    static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t kNoMatch = kAny;

    /// `set` from `least` to `most` times, greedily; without a set it is the look-ahead (?!\S).
    struct Item {
        Set set;
        std::size_t least = 0;
        std::size_t most = 0;
    };

    static std::vector<std::uint8_t> marks(const nlohmann::json& ranges) {
        std::vector<std::uint8_t> result(0x110000);
        for (const auto& range : ranges) {
            for (auto c = range[0].get<std::size_t>(); c <= range[1].get<std::size_t>(); ++c) {
                result[c] = 1;
            }
        }
        return result;
    }

    void add_contractions(const nlohmann::json& characters) {
        for (const auto& [spelling, places] : characters.items()) {
            std::vector<Item> items{{[](char32_t c) { return c == U'\''; }, 1, 1}};
            for (const auto& place : places) {
                const auto allowed = place.get<std::vector<std::uint32_t>>();
                items.push_back({[allowed](char32_t c) {
                                     return std::find(allowed.begin(), allowed.end(), c) !=
                                            allowed.end();
                                 },
                                 1, 1});
            }
            alternatives_.push_back(std::move(items));
        }
    }

    std::size_t match(const std::vector<Item>& items, std::size_t index, const std::u32string& text,
                      std::size_t start) const {
        if (index == items.size()) {
            return start;
        }
        const Item& item = items[index];
        if (!item.set) {
            const bool holds = start == text.size() || is_space_(text[start]);
            return holds ? match(items, index + 1, text, start) : kNoMatch;
        }
        std::size_t count = 0;
        while (count < item.most && start + count < text.size() && item.set(text[start + count])) {
            ++count;
        }
        while (count >= item.least && count != kAny) {
            const std::size_t end = match(items, index + 1, text, start + count);
            if (end != kNoMatch) {
                return end;
            }
            --count;
        }
        return kNoMatch;
    }

    std::vector<std::uint8_t> letters_;
    std::vector<std::uint8_t> numbers_;
    std::vector<std::uint8_t> spaces_;
    std::vector<std::vector<Item>> alternatives_;
    Set is_space_;
};

}  // namespace earscope
