#pragma once
#include "core/tokenizer/normalizer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earscope {

/// An added token as its file describes it.
struct AddedTokenEntry {
    std::int64_t id = 0;
    std::string content;
    bool special = false;
    bool normalized = false;  ///< looked for in normalised text, not in the raw one
};

/// What the files of a tokenizer say, read and of a supported kind, but not yet checked against
/// each other.
struct TokenizerFiles {
    std::string source;         ///< names the file of the vocabulary in messages
    std::string merges_source;  ///< the same for the merges
    std::string added_source;   ///< the same for the added tokens
    std::vector<std::pair<std::string, std::int64_t>> vocabulary;
    std::vector<std::pair<std::string, std::string>> merges;  ///< in order of rank
    std::vector<AddedTokenEntry> added;
    /// Slow tokenizers normalise the whole text before added tokens are cut out.
    bool normalize_first = false;
    Normalizer::Version normalizer = Normalizer::Version::Unicode9;
    bool may_have_gaps = false;  ///< ids need not be without gaps
};

/// Reads tokenizer.json.
/// @throws SnapshotError  the file is broken, or describes another kind of tokenizer
TokenizerFiles read_tokenizer_json(const std::filesystem::path& file);

/// Reads vocab.json, merges.txt and the added tokens of tokenizer_config.json, or of
/// added_tokens.json and special_tokens_map.json, as the slow tokenizer does.
/// @throws SnapshotError
TokenizerFiles read_vocabulary_files(const std::filesystem::path& folder);

/// A text of a file as it may stand in a one-line message: short, without control characters.
std::string quote_text(std::string_view text);

/// A path as it may stand there.
std::string file_name(const std::filesystem::path& file);

/// Adds {"piece": id, ...} to the vocabulary.
/// @throws SnapshotError
void read_vocabulary_object(const nlohmann::json& vocabulary, TokenizerFiles& files);

/// Cuts "left right" into its two parts.
/// @throws SnapshotError  there are not exactly two
std::pair<std::string, std::string> parse_merge(std::string_view line, const std::string& source,
                                                std::size_t number);

}  // namespace earscope
