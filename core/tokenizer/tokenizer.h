#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

struct AddedToken {
    std::int64_t id = 0;
    std::string content;
    bool special = false;
};

/// Which of the reference's two tokenizers to follow. They differ in rare texts: the slow one (the
/// upstream of MOSS-Music asks for it) normalises before it cuts out added tokens, knows the marks
/// of Unicode 14 and takes as special what tokenizer_config.json lists.
enum class TokenizerKind {
    FromFiles,  ///< tokenizer.json where there is one; else the slow one
    Slow,       ///< vocab.json and merges.txt where they are; else tokenizer.json in the slow order
};

/// Byte-level BPE as Hugging Face tokenizers computes it for the Qwen2 family: added tokens are cut
/// out of the raw text, then NFC (Unicode 9 tables), the Qwen2 split (Unicode 16 classes), byte
/// characters, merges. Immutable; may be used from several threads. A moved-from one may only be
/// destroyed or assigned to.
class Tokenizer {
public:
    /// Reads tokenizer.json, or vocab.json + merges.txt + added tokens (added_tokens.json,
    /// tokenizer_config.json).
    /// @throws SnapshotError  names the file and what is not supported or broken
    static Tokenizer from_folder(const std::filesystem::path& folder,
                                 TokenizerKind kind = TokenizerKind::FromFiles);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// @throws RequestError  the text is not valid UTF-8 or longer than 1 MiB
    std::vector<std::int64_t> encode(std::string_view text) const;
    /// As spelt in the vocabulary (byte characters); empty for an id that does not exist.
    std::string piece(std::int64_t id) const;
    /// Ids outside of the vocabulary decode to nothing.
    std::string decode(const std::vector<std::int64_t>& ids, bool skip_special_tokens) const;
    /// The bytes an id stands for (may be a part of a character).
    std::string bytes(std::int64_t id) const;
    bool is_special(std::int64_t id) const;
    std::optional<std::int64_t> id_of(std::string_view token) const;
    const std::vector<AddedToken>& added_tokens() const;
    /// One past the highest id.
    std::int64_t size() const;
    /// The stretches a text is cut into before merging (for tests and teaching).
    std::vector<std::string> split(std::string_view text) const;

private:
    Tokenizer();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Turns ids into text one by one: every complete character is shown at once, at most three bytes
/// are kept back, U+FFFD appears as soon as bytes cannot become a character (for a surrogate with
/// its third byte, as in the reference). All pieces joined are Tokenizer::decode of the ids.
class StreamDecoder {
public:
    explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens = true);
    std::string push(std::int64_t id);
    std::string finish();

private:
    const Tokenizer* tokenizer_;
    bool skip_special_tokens_;
    std::string pending_;
};

}  // namespace earscope
