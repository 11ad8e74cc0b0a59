#include "core/formats/json_file.h"
#include "core/tokenizer/json_fields.h"
#include "core/tokenizer/pre_split.h"
#include "core/tokenizer/tokenizer_files.h"

#include <utility>

namespace earscope {
namespace {

/// The one supported kind of a part of the pipeline.
void require_type(const JsonFields& part, const char* type) {
    if (const std::string found = part.text("type"); found != type) {
        part.fail("type " + quote_text(found) + " is not supported (only " + type + ")");
    }
}

void require_off(const JsonFields& part, const char* key, bool otherwise) {
    if (part.flag(key, otherwise)) {
        part.fail(std::string("\"") + key + "\" must be false");
    }
}

void require_absent(const JsonFields& part, const char* key) {
    const nlohmann::json* field = part.find(key);
    if (field != nullptr && !(field->is_string() && field->get_ref<const std::string&>().empty())) {
        part.fail(std::string("\"") + key + "\" is not supported");
    }
}

void check_pre_tokenizer(const nlohmann::json& value, const std::string& where) {
    const JsonFields sequence(value, where);
    require_type(sequence, "Sequence");
    const nlohmann::json& steps = sequence.at("pretokenizers");
    if (!steps.is_array() || steps.size() != 2) {
        sequence.fail("expected two steps, Split and ByteLevel");
    }
    const JsonFields split(steps[0], where + ", first step");
    require_type(split, "Split");
    const JsonFields pattern(split.at("pattern"), where + ", pattern");
    if (const std::string regex = pattern.text("Regex"); regex != kQwen2Pattern) {
        pattern.fail(quote_text(regex) + " is not the pattern of the Qwen2 family");
    }
    if (split.text("behavior") != "Isolated") {
        split.fail("\"behavior\" must be \"Isolated\"");
    }
    require_off(split, "invert", false);
    const JsonFields bytes(steps[1], where + ", second step");
    require_type(bytes, "ByteLevel");
    require_off(bytes, "add_prefix_space", true);
    require_off(bytes, "use_regex", true);
}

/// Only what leaves the ids alone: nothing, ByteLevel (offsets), a template without tokens.
void check_post_processor(const nlohmann::json& value, const std::string& where) {
    if (value.is_null()) {
        return;
    }
    const JsonFields part(value, where);
    const std::string type = part.text("type");
    if (type == "ByteLevel") {
        return;
    }
    if (type != "TemplateProcessing") {
        part.fail("type " + quote_text(type) + " is not supported");
    }
    const nlohmann::json& single = part.at("single");
    const bool plain = single.is_array() && single.size() == 1 && single[0].is_object() &&
                       single[0].size() == 1 && single[0].contains("Sequence");
    if (!plain) {
        part.fail("a template that adds tokens is not supported");
    }
    const JsonFields sequence(single[0]["Sequence"], where + ", single");
    if (sequence.text("id") != "A") {
        sequence.fail("\"id\" must be \"A\"");
    }
}

void check_model(const JsonFields& model) {
    require_type(model, "BPE");
    require_absent(model, "unk_token");
    require_absent(model, "continuing_subword_prefix");
    require_absent(model, "end_of_word_suffix");
    require_off(model, "byte_fallback", false);
    require_off(model, "ignore_merges", false);
    if (const nlohmann::json* dropout = model.find("dropout")) {
        if (!dropout->is_number() || dropout->get<double>() != 0.0) {
            model.fail("\"dropout\" must be null or 0");
        }
    }
}

/// Both spellings: "left right" and ["left", "right"].
void read_merges(const nlohmann::json& merges, TokenizerFiles& files) {
    if (!merges.is_array()) {
        throw SnapshotError(files.source + ": the merges must be a list");
    }
    files.merges.reserve(merges.size());
    for (const nlohmann::json& merge : merges) {
        const std::size_t number = files.merges.size();
        if (merge.is_string()) {
            const auto& line = merge.get_ref<const std::string&>();
            if (!line.starts_with("#version")) {
                files.merges.push_back(parse_merge(line, files.source, number));
            }
        } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                   merge[1].is_string()) {
            files.merges.emplace_back(merge[0].get_ref<const std::string&>(),
                                      merge[1].get_ref<const std::string&>());
        } else {
            throw SnapshotError(files.source + ": merge " + std::to_string(number) +
                                " must be \"left right\" or [\"left\", \"right\"]");
        }
    }
}

void read_added_tokens(const nlohmann::json& list, TokenizerFiles& files) {
    if (!list.is_array()) {
        throw SnapshotError(files.source + ": \"added_tokens\" must be a list");
    }
    for (const nlohmann::json& value : list) {
        const JsonFields token(
            value, files.source + ": added token " + std::to_string(files.added.size()));
        AddedTokenEntry entry;
        entry.id = token.id("id");
        entry.content = token.text("content");
        entry.special = token.flag("special", false);
        entry.normalized = token.flag("normalized", false);
        for (const char* key : {"lstrip", "rstrip", "single_word"}) {
            require_off(token, key, false);
        }
        files.added.push_back(std::move(entry));
    }
}

}  // namespace

TokenizerFiles read_tokenizer_json(const std::filesystem::path& file) {
    TokenizerFiles files;
    files.source = file_name(file);
    files.merges_source = files.source;
    files.added_source = files.source;
    const nlohmann::json root = read_json_file(file, kTokenizerJsonLimits);
    const JsonFields fields(root, files.source);
    // "truncation" and "padding" are passed over: they are settings of a call, not of the text.
    const JsonFields model(fields.at("model"), files.source + ": model");
    check_model(model);
    require_type(JsonFields(fields.at("normalizer"), files.source + ": normalizer"), "NFC");
    check_pre_tokenizer(fields.at("pre_tokenizer"), files.source + ": pre_tokenizer");
    if (const nlohmann::json* post_processor = fields.find("post_processor")) {
        check_post_processor(*post_processor, files.source + ": post_processor");
    }
    require_type(JsonFields(fields.at("decoder"), files.source + ": decoder"), "ByteLevel");
    read_vocabulary_object(model.at("vocab"), files);
    read_merges(model.at("merges"), files);
    if (const nlohmann::json* added = fields.find("added_tokens")) {
        read_added_tokens(*added, files);
    }
    return files;
}

}  // namespace earscope
