#include "core/tokenizer/tokenizer.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/tokenizer/merger.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pre_split.h"
#include "core/tokenizer/tokenizer_files.h"
#include "core/tokenizer/utf8.h"
#include "core/tokenizer/vocabulary.h"

#include <utility>

namespace earscope {
namespace {

constexpr std::size_t kMostTextBytes = 1 << 20;

void check_text(std::string_view text) {
    if (text.size() > kMostTextBytes) {
        throw RequestError("the text has " + std::to_string(text.size()) + " bytes; at most " +
                           std::to_string(kMostTextBytes) + " are possible");
    }
    if (const auto place = first_invalid_utf8(text)) {
        throw RequestError("the text is not valid UTF-8 at byte " + std::to_string(*place));
    }
}

/// Calls `on_text` with each stretch between the tokens that `finder` knows and `on_token` with
/// those, in the order of the text.
template <typename OnText, typename OnToken>
void cut(const AddedTokenFinder& finder, std::string_view text, OnText on_text, OnToken on_token) {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto match = finder.empty() ? std::nullopt : finder.find(text, done);
        const std::size_t end = match ? match->start : text.size();
        if (end > done) {
            on_text(text.substr(done, end - done));
        }
        if (!match) {
            break;
        }
        on_token(match->id, text.substr(match->start, match->length));
        done = match->start + match->length;
    }
}

/// Ends with the first two bytes of a surrogate (ED A0..BF). They can no longer become a character,
/// but the reference's stream decoder waits for the third byte, and so its pieces come out alike.
bool ends_in_surrogate(std::string_view bytes) {
    return bytes.size() >= 2 && bytes[bytes.size() - 2] == '\xED' &&
           static_cast<unsigned char>(bytes.back()) >= 0xA0 &&
           static_cast<unsigned char>(bytes.back()) <= 0xBF;
}

TokenizerFiles read_files(const std::filesystem::path& folder, TokenizerKind kind) {
    namespace fs = std::filesystem;
    const fs::path json = folder / "tokenizer.json";
    const bool has_json = fs::exists(json);
    const bool has_vocabulary =
        fs::exists(folder / "vocab.json") && fs::exists(folder / "merges.txt");
    if (!has_json && !has_vocabulary) {
        throw SnapshotError(file_name(folder) +
                            ": neither tokenizer.json nor vocab.json and merges.txt are there");
    }
    if (has_vocabulary && (kind == TokenizerKind::Slow || !has_json)) {
        return read_vocabulary_files(folder);
    }
    TokenizerFiles files = read_tokenizer_json(json);
    if (kind == TokenizerKind::Slow) {
        files.normalize_first = true;
        files.normalizer = Normalizer::Version::Unicode14;
    }
    return files;
}

}  // namespace

struct Tokenizer::Impl {
    explicit Impl(TokenizerFiles files)
        : normalize_first(files.normalize_first),
          normalizer(files.normalizer),
          vocabulary(std::move(files)) {}

    bool normalize_first;
    Normalizer normalizer;
    Vocabulary vocabulary;

    /// Added tokens go to `on_token(id, text)`, the words between them to `on_word(text)`.
    template <typename OnWord, typename OnToken>
    void walk(std::string_view text, OnWord on_word, OnToken on_token) const {
        check_text(text);
        const auto on_normal = [&](std::string_view stretch) {
            for (const std::string_view word : pre_split(stretch)) {
                on_word(word);
            }
        };
        if (normalize_first) {
            cut(vocabulary.raw_finder(), normalizer.nfc(text), on_normal, on_token);
            return;
        }
        const auto on_raw = [&](std::string_view stretch) {
            cut(vocabulary.normalized_finder(), normalizer.nfc(stretch), on_normal, on_token);
        };
        cut(vocabulary.raw_finder(), text, on_raw, on_token);
    }
};

Tokenizer::Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::from_folder(const std::filesystem::path& folder, TokenizerKind kind) {
    Tokenizer tokenizer;
    tokenizer.impl_ = std::make_unique<Impl>(read_files(folder, kind));
    return tokenizer;
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text) const {
    std::vector<std::int64_t> ids;
    Merger merger(impl_->vocabulary.merges());
    impl_->walk(
        text, [&](std::string_view word) { merger.encode(word, ids); },
        [&](std::int64_t id, std::string_view) { ids.push_back(id); });
    return ids;
}

std::vector<std::string> Tokenizer::split(std::string_view text) const {
    std::vector<std::string> parts;
    impl_->walk(
        text, [&](std::string_view word) { parts.emplace_back(word); },
        [&](std::int64_t, std::string_view token) { parts.emplace_back(token); });
    return parts;
}

std::string Tokenizer::piece(std::int64_t id) const {
    const std::string* found = impl_->vocabulary.piece(id);
    return found == nullptr ? std::string() : *found;
}

std::string Tokenizer::bytes(std::int64_t id) const {
    const std::string* found = impl_->vocabulary.bytes(id);
    return found == nullptr ? std::string() : *found;
}

std::string Tokenizer::decode(const std::vector<std::int64_t>& ids,
                              bool skip_special_tokens) const {
    std::string joined;
    for (const std::int64_t id : ids) {
        const std::string* found = impl_->vocabulary.bytes(id);
        if (found != nullptr && !(skip_special_tokens && is_special(id))) {
            joined += *found;
        }
    }
    return decode_lossy(joined);
}

bool Tokenizer::is_special(std::int64_t id) const {
    return impl_->vocabulary.is_special(id);
}

std::optional<std::int64_t> Tokenizer::id_of(std::string_view token) const {
    return impl_->vocabulary.find(token);
}

const std::vector<AddedToken>& Tokenizer::added_tokens() const {
    return impl_->vocabulary.added();
}

std::int64_t Tokenizer::size() const {
    return impl_->vocabulary.size();
}

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens) {}

std::string StreamDecoder::push(std::int64_t id) {
    if (skip_special_tokens_ && tokenizer_->is_special(id)) {
        return {};
    }
    pending_ += tokenizer_->bytes(id);
    std::string_view ready = pending_;
    if (ends_in_surrogate(ready)) {
        ready.remove_suffix(2);
    }
    std::string text;
    pending_.erase(0, append_lossy(ready, text));
    return text;
}

std::string StreamDecoder::finish() {
    std::string text = decode_lossy(pending_);
    pending_.clear();
    return text;
}

}  // namespace earscope
