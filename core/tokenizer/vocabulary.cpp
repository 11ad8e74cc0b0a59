#include "core/tokenizer/vocabulary.h"

#include "core/base/errors.h"
#include "core/tokenizer/byte_characters.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace earscope {
namespace {

/// Vocabulary files with gaps still get one row per id up to the highest; no model has as many.
constexpr std::int64_t kMostIds = 1 << 22;

std::string id_text(std::int64_t id) {
    return "id " + std::to_string(id);
}

}  // namespace

Vocabulary::Vocabulary(TokenizerFiles files) {
    make_room(files);
    add_plain(files);
    add_added(files, Normalizer(files.normalizer));
    if (!files.may_have_gaps) {
        refuse_gaps(files);
    }
    add_bytes(files);
    add_merges(files);
}

void Vocabulary::make_room(const TokenizerFiles& files) {
    const auto entries = static_cast<std::int64_t>(files.vocabulary.size() + files.added.size());
    const std::int64_t limit = files.may_have_gaps ? kMostIds : entries;
    std::int64_t highest = -1;
    const auto look_at = [&](std::int64_t id, const std::string& piece, const std::string& source) {
        if (id >= limit) {
            throw SnapshotError(source + ": token " + quote_text(piece) + " has " + id_text(id) +
                                ", outside of the vocabulary (at most " +
                                std::to_string(limit - 1) + " is possible)");
        }
        highest = std::max(highest, id);
    };
    for (const auto& [piece, id] : files.vocabulary) {
        look_at(id, piece, files.source);
    }
    for (const AddedTokenEntry& entry : files.added) {
        look_at(entry.id, entry.content, files.added_source);
    }
    tokens_.resize(static_cast<std::size_t>(highest + 1));
    // A power of two, at most half of it taken.
    index_.assign(std::bit_ceil(2 * static_cast<std::size_t>(entries) + 2), -1);
}

void Vocabulary::add_plain(TokenizerFiles& files) {
    for (auto& [piece, id] : files.vocabulary) {
        Token& token = tokens_[static_cast<std::size_t>(id)];
        if (token.exists) {
            throw SnapshotError(files.source + ": tokens " + quote_text(token.piece) + " and " +
                                quote_text(piece) + " both have " + id_text(id));
        }
        token.bytes = piece_bytes(piece);
        token.piece = std::move(piece);
        token.exists = true;
        std::int32_t& slot = index_[place(token.piece)];
        if (slot >= 0) {
            throw SnapshotError(files.source + ": token " + quote_text(token.piece) +
                                " stands there twice");
        }
        slot = static_cast<std::int32_t>(id);
    }
}

void Vocabulary::add_added(const TokenizerFiles& files, const Normalizer& normalizer) {
    const std::string& source = files.added_source;
    for (const AddedTokenEntry& entry : files.added) {
        if (entry.content.empty()) {
            throw SnapshotError(source + ": the added token of " + id_text(entry.id) + " is empty");
        }
        const auto twin = std::find_if(added_.begin(), added_.end(), [&](const AddedToken& other) {
            return other.id == entry.id || other.content == entry.content;
        });
        if (twin != added_.end()) {
            throw SnapshotError(source + ": added tokens " + quote_text(twin->content) + " (" +
                                id_text(twin->id) + ") and " + quote_text(entry.content) + " (" +
                                id_text(entry.id) + ") are in each other's way");
        }
        Token& token = tokens_[static_cast<std::size_t>(entry.id)];
        if (token.exists && token.piece != entry.content) {
            throw SnapshotError(source + ": added token " + quote_text(entry.content) + " has " +
                                id_text(entry.id) + " of token " + quote_text(token.piece));
        }
        if (const auto known = find(entry.content); known && *known != entry.id) {
            throw SnapshotError(source + ": added token " + quote_text(entry.content) + " has " +
                                id_text(entry.id) + ", in the vocabulary it has " +
                                id_text(*known));
        }
        if (!token.exists) {
            token.piece = entry.content;
            token.bytes = piece_bytes(entry.content);
            token.exists = true;
            index_[place(token.piece)] = static_cast<std::int32_t>(entry.id);
        }
        token.special = entry.special;
        added_.push_back({entry.id, entry.content, entry.special});
        if (entry.normalized && !files.normalize_first) {
            normalized_finder_.add(normalizer.nfc(entry.content), entry.id);
        } else {
            raw_finder_.add(entry.content, entry.id);
        }
    }
    std::sort(added_.begin(), added_.end(),
              [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

void Vocabulary::refuse_gaps(const TokenizerFiles& files) const {
    const auto gap = std::find_if(tokens_.begin(), tokens_.end(),
                                  [](const Token& token) { return !token.exists; });
    if (gap != tokens_.end()) {
        throw SnapshotError(files.source + ": no token has " + id_text(gap - tokens_.begin()) +
                            ", but " + id_text(size() - 1) + " is in use");
    }
}

void Vocabulary::add_bytes(const TokenizerFiles& files) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const std::string& character = byte_characters()[byte];
        const auto id = find(character);
        if (!id) {
            throw SnapshotError(files.source + ": the vocabulary lacks " + quote_text(character) +
                                ", which stands for byte " + std::to_string(byte));
        }
        merges_.byte_ids[byte] = static_cast<std::int32_t>(*id);
    }
}

void Vocabulary::add_merges(const TokenizerFiles& files) {
    merges_.reset(files.merges.size());
    std::string joined;
    std::int32_t rank = 0;
    for (const auto& [left, right] : files.merges) {
        joined.assign(left).append(right);
        const auto left_id = find(left);
        const auto right_id = find(right);
        const auto joined_id = find(joined);
        if (!left_id || !right_id || !joined_id) {
            const std::string& unknown = !left_id ? left : !right_id ? right : joined;
            throw SnapshotError(files.merges_source + ": merge " + std::to_string(rank) + " (" +
                                quote_text(left) + ", " + quote_text(right) + ") needs " +
                                quote_text(unknown) + ", which is not in the vocabulary");
        }
        // Of a merge that stands there twice the later place counts, as in the reference.
        merges_.set(static_cast<std::int32_t>(*left_id), static_cast<std::int32_t>(*right_id),
                    MergeRule{rank, static_cast<std::int32_t>(*joined_id)});
        ++rank;
    }
}

std::optional<std::int64_t> Vocabulary::find(std::string_view piece) const {
    const std::int32_t id = index_[place(piece)];
    return id < 0 ? std::nullopt : std::optional<std::int64_t>(id);
}

/// The slot of the piece, or the free one where it would go.
std::size_t Vocabulary::place(std::string_view piece) const {
    std::size_t slot = std::hash<std::string_view>{}(piece);
    for (;; ++slot) {
        slot &= index_.size() - 1;
        const std::int32_t id = index_[slot];
        if (id < 0 || tokens_[static_cast<std::size_t>(id)].piece == piece) {
            return slot;
        }
    }
}

const Vocabulary::Token* Vocabulary::token(std::int64_t id) const {
    if (id < 0 || id >= size()) {
        return nullptr;
    }
    const Token& found = tokens_[static_cast<std::size_t>(id)];
    return found.exists ? &found : nullptr;
}

const std::string* Vocabulary::piece(std::int64_t id) const {
    const Token* found = token(id);
    return found == nullptr ? nullptr : &found->piece;
}

const std::string* Vocabulary::bytes(std::int64_t id) const {
    const Token* found = token(id);
    return found == nullptr ? nullptr : &found->bytes;
}

bool Vocabulary::is_special(std::int64_t id) const {
    const Token* found = token(id);
    return found != nullptr && found->special;
}

}  // namespace earscope
