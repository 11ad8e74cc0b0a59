#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace earscope {

/// Finds added tokens in a text: leftmost, then longest. A tree over bytes, so a place costs no
/// more than the longest token however many there are.
class AddedTokenFinder {
public:
    AddedTokenFinder() : nodes_(1) {}

    void add(std::string_view content, std::int64_t id);
    bool empty() const { return nodes_.size() == 1; }

    struct Match {
        std::size_t start = 0;
        std::size_t length = 0;
        std::int64_t id = 0;
    };

    /// The first match at or behind `from`.
    std::optional<Match> find(std::string_view text, std::size_t from) const;

private:
    struct Node {
        std::vector<std::pair<char, std::size_t>> children;
        std::int64_t id = -1;
    };

    std::size_t child(std::size_t node, char byte) const;

    std::vector<Node> nodes_;
};

}  // namespace earscope
