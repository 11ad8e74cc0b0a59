#pragma once
#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/merger.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/tokenizer_files.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// All tokens of a tokenizer by id and by name, checked against each other. Does not change once
/// made.
class Vocabulary {
public:
    /// @throws SnapshotError  duplicate or impossible ids, a byte without a token, merges of
    /// unknown tokens
    explicit Vocabulary(TokenizerFiles files);
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
    std::optional<std::int64_t> find(std::string_view piece) const;
    /// Null for an id that does not exist.
    const std::string* piece(std::int64_t id) const;
    const std::string* bytes(std::int64_t id) const;
    bool is_special(std::int64_t id) const;

    const std::vector<AddedToken>& added() const { return added_; }
    const AddedTokenFinder& raw_finder() const { return raw_finder_; }
    const AddedTokenFinder& normalized_finder() const { return normalized_finder_; }
    const MergeTable& merges() const { return merges_; }

private:
    struct Token {
        std::string piece;
        std::string bytes;
        bool exists = false;
        bool special = false;
    };

    void make_room(const TokenizerFiles& files);
    void add_plain(TokenizerFiles& files);
    void add_added(const TokenizerFiles& files, const Normalizer& normalizer);
    void refuse_gaps(const TokenizerFiles& files) const;
    void add_bytes(const TokenizerFiles& files);
    void add_merges(const TokenizerFiles& files);
    const Token* token(std::int64_t id) const;
    std::size_t place(std::string_view piece) const;

    std::vector<Token> tokens_;
    std::vector<std::int32_t> index_;  ///< ids by the hash of the piece, -1 where free
    std::vector<AddedToken> added_;
    AddedTokenFinder raw_finder_;
    AddedTokenFinder normalized_finder_;
    MergeTable merges_;
};

}  // namespace earscope
