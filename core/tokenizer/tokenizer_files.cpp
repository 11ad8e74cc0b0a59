#include "core/tokenizer/tokenizer_files.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/tokenizer/json_fields.h"

namespace earscope {

std::string quote_text(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    return '"' + one_line(text, kLongest) + '"';
}

std::string file_name(const std::filesystem::path& file) {
    constexpr std::size_t kLongest = 500;
    return one_line(file.string(), kLongest);
}

void read_vocabulary_object(const nlohmann::json& vocabulary, TokenizerFiles& files) {
    if (!vocabulary.is_object()) {
        throw SnapshotError(files.source + ": the vocabulary must be an object");
    }
    files.vocabulary.reserve(vocabulary.size());
    for (const auto& [piece, id] : vocabulary.items()) {
        if (!JsonFields::is_id(id)) {
            throw SnapshotError(files.source + ": token " + quote_text(piece) +
                                " of the vocabulary has no valid id");
        }
        files.vocabulary.emplace_back(piece, id.get<std::int64_t>());
    }
}

std::pair<std::string, std::string> parse_merge(std::string_view line, const std::string& source,
                                                std::size_t number) {
    const std::size_t space = line.find(' ');
    const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                     line.find(' ', space + 1) == std::string_view::npos;
    if (!two) {
        throw SnapshotError(source + ": merge " + std::to_string(number) + " " + quote_text(line) +
                            " does not have two parts");
    }
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

}  // namespace earscope
