#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace earscope {

/// What a pair of neighbouring tokens becomes; pairs of lower rank are joined first.
struct MergeRule {
    std::int32_t rank = 0;
    std::int32_t result = 0;
};

/// The merges of a vocabulary.
class MergeTable {
public:
    std::array<std::int32_t, 256> byte_ids{};  ///< the token of each single byte

    /// Makes an empty table with room for `count` rules.
    void reset(std::size_t count);
    /// Takes the place of an earlier rule for the pair.
    void set(std::int32_t left, std::int32_t right, MergeRule rule);
    /// Null where the pair is never joined.
    const MergeRule* find(std::int32_t left, std::int32_t right) const;

private:
    struct Slot {
        std::int32_t left = -1;  ///< -1: the slot is free
        std::int32_t right = -1;
        MergeRule rule;
    };

    std::size_t place(std::int32_t left, std::int32_t right) const;

    std::vector<Slot> slots_;  ///< open addressing; a power of two, at most half of it taken
};

/// Joins the bytes of words into tokens: the pair of smallest rank first, the leftmost of equals.
/// A queue of pairs keeps this at n log n for a word of n bytes. Words seen before are remembered,
/// so an object serves one call of one thread; the table must outlive it.
class Merger {
public:
    explicit Merger(const MergeTable& table) : table_(table) {}

    /// Appends the tokens of `word` to `ids`.
    void encode(std::string_view word, std::vector<std::int64_t>& ids);

private:
    struct Symbol {
        std::int32_t id = 0;
        std::int32_t previous = 0;
        std::int32_t next = 0;
    };
    struct Candidate {
        std::int32_t rank = 0;
        std::int32_t position = 0;
        std::int32_t result = 0;
    };

    static bool is_later(const Candidate& a, const Candidate& b);
    const MergeRule* rule_at(std::int32_t position) const;
    void offer(std::int32_t position);
    void join(const Candidate& candidate);
    void merge(std::string_view word);

    const MergeTable& table_;
    std::vector<Symbol> symbols_;  ///< a list linked by index; joined ones have id kGone
    std::vector<Candidate> heap_;
    std::unordered_map<std::string, std::vector<std::int64_t>> known_;
};

}  // namespace earscope
