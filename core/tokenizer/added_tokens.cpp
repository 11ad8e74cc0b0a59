#include "core/tokenizer/added_tokens.h"

namespace earscope {

/// 0, which is the root and nobody's child, when there is none.
std::size_t AddedTokenFinder::child(std::size_t node, char byte) const {
    for (const auto& [edge, next] : nodes_[node].children) {
        if (edge == byte) {
            return next;
        }
    }
    return 0;
}

void AddedTokenFinder::add(std::string_view content, std::int64_t id) {
    std::size_t node = 0;
    for (const char byte : content) {
        std::size_t next = child(node, byte);
        if (next == 0) {
            next = nodes_.size();
            nodes_[node].children.emplace_back(byte, next);
            nodes_.emplace_back();
        }
        node = next;
    }
    nodes_[node].id = id;
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(std::string_view text,
                                                              std::size_t from) const {
    for (std::size_t start = from; start < text.size(); ++start) {
        std::optional<Match> longest;
        std::size_t node = 0;
        for (std::size_t end = start; end < text.size(); ++end) {
            node = child(node, text[end]);
            if (node == 0) {
                break;
            }
            if (nodes_[node].id >= 0) {
                longest = Match{start, end + 1 - start, nodes_[node].id};
            }
        }
        if (longest) {
            return longest;
        }
    }
    return std::nullopt;
}

}  // namespace earscope
