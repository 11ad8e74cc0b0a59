#include "core/base/text.h"
#include "core/formats/json_file.h"
#include "core/formats/json_text.h"
#include "core/tokenizer/json_fields.h"
#include "core/tokenizer/tokenizer_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <system_error>

namespace earscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\v\f";

/// The next line, without its end (LF, CR or CRLF) and outer blanks; `text` moves behind it.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (text.starts_with("\r\n")) {
        text.remove_prefix(2);
    } else if (!text.empty()) {
        text.remove_prefix(1);
    }
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

void read_merges(const fs::path& file, TokenizerFiles& files) {
    const std::string text = read_text_file(file, kTokenizerJsonLimits.bytes);
    if (const auto place = first_invalid_utf8(text)) {
        throw SnapshotError(files.merges_source + ": byte " + std::to_string(*place) +
                            " is not UTF-8");
    }
    std::string_view rest = text;
    bool first = true;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        const bool header = first && line.starts_with("#version:");
        first = false;
        if (!header && !line.empty()) {
            files.merges.push_back(parse_merge(line, files.merges_source, files.merges.size()));
        }
    }
}

/// The settings that name special tokens, of tokenizer_config.json or special_tokens_map.json.
struct SpecialTokenSettings {
    nlohmann::json values = nlohmann::json::object();
    std::string where;
};

constexpr std::array kSpecialTokenKeys = {"bos_token", "eos_token", "unk_token", "pad_token",
                                          "sep_token", "cls_token", "mask_token"};
constexpr const char* kAdditional = "additional_special_tokens";

/// A special token stands as a string or as an object with "content".
std::string token_content(const nlohmann::json& value, const std::string& where) {
    return value.is_string() ? value.get<std::string>() : JsonFields(value, where).text("content");
}

/// Contents of the special tokens, in the order in which the slow tokenizer knows them. Where a key
/// is not there at all, its class has <|endoftext|> for three of them.
std::vector<std::string> special_names(const SpecialTokenSettings& settings) {
    const JsonFields fields(settings.values, settings.where);
    std::vector<std::string> names;
    for (const std::string_view key : kSpecialTokenKeys) {
        const bool has_default = key == "eos_token" || key == "unk_token" || key == "pad_token";
        if (const nlohmann::json* value = fields.find(key.data())) {
            names.push_back(
                token_content(*value, settings.where + ": \"" + std::string(key) + "\""));
        } else if (has_default && !settings.values.contains(key)) {
            names.emplace_back("<|endoftext|>");
        }
    }
    if (const nlohmann::json* list = fields.find(kAdditional)) {
        if (!list->is_array()) {
            fields.fail("\"additional_special_tokens\" must be a list");
        }
        for (const nlohmann::json& value : *list) {
            names.push_back(token_content(value, settings.where + ": \"" + kAdditional + "\""));
        }
    }
    return names;
}

/// "added_tokens_decoder": {"151643": {"content": ...}}
void read_decoder_entries(const nlohmann::json& decoder, TokenizerFiles& files,
                          const std::string& where) {
    if (!decoder.is_object()) {
        throw SnapshotError(where + " must be an object");
    }
    for (const auto& [key, value] : decoder.items()) {
        const JsonFields token(value, where + ": token " + quote_text(key));
        AddedTokenEntry entry;
        std::int32_t id = -1;
        const auto [end, fault] = std::from_chars(key.data(), key.data() + key.size(), id);
        if (fault != std::errc() || end != key.data() + key.size() || id < 0) {
            token.fail("its key must be a token id");
        }
        entry.id = id;
        entry.content = token.text("content");
        for (const char* flag : {"lstrip", "rstrip", "single_word"}) {
            if (token.flag(flag, false)) {
                token.fail(std::string("\"") + flag + "\" must be false");
            }
        }
        files.added.push_back(std::move(entry));
    }
}

/// The form before "added_tokens_decoder": added_tokens.json, {"content": id}.
void read_added_tokens_json(const fs::path& file, TokenizerFiles& files) {
    const nlohmann::json root = read_json_file(file);
    if (!root.is_object()) {
        throw SnapshotError(file_name(file) + " must be an object");
    }
    for (const auto& [content, id] : root.items()) {
        AddedTokenEntry entry;
        entry.id = JsonFields::id_value(id, file_name(file) + ": the id of " + quote_text(content));
        entry.content = content;
        files.added.push_back(std::move(entry));
    }
}

/// Special tokens are added tokens too: with the id they have in the vocabulary, or else the next.
void mark_special(const std::vector<std::string>& names, TokenizerFiles& files) {
    for (const std::string& name : names) {
        const auto known = std::find_if(files.added.begin(), files.added.end(),
                                        [&](const auto& entry) { return entry.content == name; });
        if (known != files.added.end()) {
            known->special = true;
            continue;
        }
        const auto plain = std::find_if(files.vocabulary.begin(), files.vocabulary.end(),
                                        [&](const auto& entry) { return entry.first == name; });
        AddedTokenEntry entry;
        entry.id = plain != files.vocabulary.end()
                       ? plain->second
                       : static_cast<std::int64_t>(files.vocabulary.size() + files.added.size());
        entry.content = name;
        entry.special = true;
        files.added.push_back(std::move(entry));
    }
}

void read_added(const fs::path& folder, TokenizerFiles& files) {
    const fs::path config_file = folder / "tokenizer_config.json";
    SpecialTokenSettings settings;
    settings.where = file_name(config_file);
    if (fs::exists(config_file)) {
        settings.values = read_json_file(config_file);
    }
    const JsonFields config(settings.values, settings.where);
    if (const nlohmann::json* decoder = config.find("added_tokens_decoder")) {
        read_decoder_entries(*decoder, files, settings.where + ": \"added_tokens_decoder\"");
        files.added_source = file_name(config_file);
    } else {
        if (const fs::path map = folder / "special_tokens_map.json"; fs::exists(map)) {
            const nlohmann::json values = read_json_file(map);
            if (!values.is_object()) {
                throw SnapshotError(file_name(map) + " must be an object");
            }
            settings.where = file_name(map);
            settings.values.update(values);
        }
        if (const fs::path added = folder / "added_tokens.json"; fs::exists(added)) {
            read_added_tokens_json(added, files);
            files.added_source = file_name(added);
        }
    }
    mark_special(special_names(settings), files);
}

}  // namespace

TokenizerFiles read_vocabulary_files(const fs::path& folder) {
    TokenizerFiles files;
    files.source = file_name(folder / "vocab.json");
    files.merges_source = file_name(folder / "merges.txt");
    files.added_source = file_name(folder / "tokenizer_config.json");
    files.normalize_first = true;
    files.normalizer = Normalizer::Version::Unicode14;
    files.may_have_gaps = true;
    read_vocabulary_object(read_json_file(folder / "vocab.json", kTokenizerJsonLimits), files);
    read_merges(folder / "merges.txt", files);
    read_added(folder, files);
    return files;
}

}  // namespace earscope
