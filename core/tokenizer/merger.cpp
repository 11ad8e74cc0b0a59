#include "core/tokenizer/merger.h"

#include <algorithm>
#include <bit>

namespace earscope {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kGone = -1;

/// Longer words hardly ever come twice and would make the memory of a call grow with its text.
constexpr std::size_t kLongestKnownWord = 64;

}  // namespace

void MergeTable::reset(std::size_t count) {
    slots_.assign(std::bit_ceil(2 * count + 2), Slot{});
}

/// The slot of the pair, or the free one where it would go.
std::size_t MergeTable::place(std::int32_t left, std::int32_t right) const {
    const auto key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                     static_cast<std::uint32_t>(right);
    // Multiplying by 2^64 over the golden ratio spreads neighbouring ids over the upper bits.
    std::size_t slot = (key * 0x9E3779B97F4A7C15ULL) >> 32;
    for (;; ++slot) {
        slot &= slots_.size() - 1;
        const Slot& found = slots_[slot];
        if (found.left < 0 || (found.left == left && found.right == right)) {
            return slot;
        }
    }
}

void MergeTable::set(std::int32_t left, std::int32_t right, MergeRule rule) {
    slots_[place(left, right)] = {left, right, rule};
}

const MergeRule* MergeTable::find(std::int32_t left, std::int32_t right) const {
    const Slot& slot = slots_[place(left, right)];
    return slot.left < 0 ? nullptr : &slot.rule;
}

bool Merger::is_later(const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
}

const MergeRule* Merger::rule_at(std::int32_t position) const {
    const Symbol& left = symbols_[static_cast<std::size_t>(position)];
    if (left.id == kGone || left.next == kNone) {
        return nullptr;
    }
    const Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
    return table_.find(left.id, right.id);
}

void Merger::offer(std::int32_t position) {
    if (position == kNone) {
        return;
    }
    if (const MergeRule* rule = rule_at(position)) {
        heap_.push_back({rule->rank, position, rule->result});
        std::push_heap(heap_.begin(), heap_.end(), is_later);
    }
}

void Merger::join(const Candidate& candidate) {
    Symbol& left = symbols_[static_cast<std::size_t>(candidate.position)];
    Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
    left.id = candidate.result;
    left.next = right.next;
    right.id = kGone;
    if (left.next != kNone) {
        symbols_[static_cast<std::size_t>(left.next)].previous = candidate.position;
    }
    offer(left.previous);
    offer(candidate.position);
}

void Merger::merge(std::string_view word) {
    const auto count = static_cast<std::int32_t>(word.size());
    symbols_.clear();
    heap_.clear();
    for (std::int32_t i = 0; i < count; ++i) {
        const auto byte = static_cast<unsigned char>(word[static_cast<std::size_t>(i)]);
        symbols_.push_back({table_.byte_ids[byte], i - 1, i + 1 < count ? i + 1 : kNone});
    }
    for (std::int32_t i = 0; i < count; ++i) {
        if (const MergeRule* rule = rule_at(i)) {
            heap_.push_back({rule->rank, i, rule->result});
        }
    }
    std::make_heap(heap_.begin(), heap_.end(), is_later);
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), is_later);
        const Candidate candidate = heap_.back();
        heap_.pop_back();
        // A pair that changed since it was offered was offered anew.
        const MergeRule* rule = rule_at(candidate.position);
        if (rule != nullptr && rule->rank == candidate.rank) {
            join(candidate);
        }
    }
}

void Merger::encode(std::string_view word, std::vector<std::int64_t>& ids) {
    if (word.size() == 1) {
        ids.push_back(table_.byte_ids[static_cast<unsigned char>(word.front())]);
        return;
    }
    const bool keep = word.size() <= kLongestKnownWord;
    if (keep) {
        if (const auto found = known_.find(std::string(word)); found != known_.end()) {
            ids.insert(ids.end(), found->second.begin(), found->second.end());
            return;
        }
    }
    merge(word);
    const std::size_t start = ids.size();
    for (std::int32_t i = word.empty() ? kNone : 0; i != kNone;
         i = symbols_[static_cast<std::size_t>(i)].next) {
        ids.push_back(symbols_[static_cast<std::size_t>(i)].id);
    }
    if (keep) {
        known_.emplace(word,
                       std::vector(ids.begin() + static_cast<std::ptrdiff_t>(start), ids.end()));
    }
}

}  // namespace earscope
