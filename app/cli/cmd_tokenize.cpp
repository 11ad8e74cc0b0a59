#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "core/formats/json_file.h"
#include "core/snapshot/snapshot.h"
#include "core/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sstream>
#include <unistd.h>

namespace earscope::cli {

namespace {

using nlohmann::ordered_json;

/// All of stdin; looks at `stop` while it waits, because a blocked signal does not end read().
std::string read_stdin(const std::stop_token& stop) {
    constexpr int kWaitMilliseconds = 100;
    std::string text;
    std::array<char, 1 << 16> block{};
    while (true) {
        throw_if_stopped(stop);
        pollfd waiting{STDIN_FILENO, POLLIN, 0};
        if (::poll(&waiting, 1, kWaitMilliseconds) <= 0) {
            continue;
        }
        const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
        if (count == 0) {
            return text;
        }
        if (count > 0) {
            text.append(block.data(), static_cast<std::size_t>(count));
        } else if (errno != EINTR && errno != EAGAIN) {
            throw RequestError(std::string("stdin cannot be read: ") + std::strerror(errno));
        }
    }
}

/// MOSS-Music's reference forces the slow tokenizer; a folder without a configuration is as its
/// files say.
TokenizerKind tokenizer_kind(const std::filesystem::path& folder) {
    std::error_code error;
    const bool snapshot = std::filesystem::exists(folder / "config.json", error);
    return snapshot && open_snapshot(folder).family == Family::MossMusic ? TokenizerKind::Slow
                                                                         : TokenizerKind::FromFiles;
}

/// A folder with only a tokenizer is taken as it is; everything else must be a snapshot.
Tokenizer load_tokenizer(const std::string& given) {
    const std::filesystem::path folder = snapshot_folder(given);
    std::error_code error;
    const bool has_tokenizer = std::filesystem::exists(folder / "tokenizer.json", error) ||
                               std::filesystem::exists(folder / "vocab.json", error);
    const std::filesystem::path found = has_tokenizer ? folder : resolve_snapshot(folder);
    return Tokenizer::from_folder(found, tokenizer_kind(found));
}

void add_decoded(ordered_json& out, const Tokenizer& tokenizer,
                 const std::vector<std::int64_t>& ids) {
    out["decoded"] = tokenizer.decode(ids, /*skip_special_tokens=*/false);
    out["decoded_skip_special"] = tokenizer.decode(ids, /*skip_special_tokens=*/true);
}

ordered_json encode(const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<std::int64_t> ids = tokenizer.encode(text);
    ordered_json out{{"ids", ids}, {"pieces", ordered_json::array()}};
    for (const std::int64_t id : ids) {
        out["pieces"].push_back(tokenizer.piece(id));
    }
    add_decoded(out, tokenizer, ids);
    return out;
}

/// The pieces are those that `generate --stream` would print: special tokens add nothing.
ordered_json decode(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    ordered_json out = ordered_json::object();
    add_decoded(out, tokenizer, ids);
    StreamDecoder decoder(tokenizer, /*skip_special_tokens=*/true);
    out["stream"] = ordered_json::array();
    for (const std::int64_t id : ids) {
        out["stream"].push_back(decoder.push(id));
    }
    out["stream_end"] = decoder.finish();
    return out;
}

ordered_json answer(const Tokenizer& tokenizer, const std::string& line, const std::string& where) {
    const nlohmann::json input = parse_json(line, where);
    const bool has_text = input.is_object() && input.contains("text");
    if (has_text && input["text"].is_string()) {
        return encode(tokenizer, input["text"].get<std::string>());
    }
    if (!has_text && input.is_object() && input.contains("ids") && input["ids"].is_array()) {
        const auto& ids = input["ids"];
        if (std::all_of(ids.begin(), ids.end(),
                        [](const auto& id) { return id.is_number_integer(); })) {
            return decode(tokenizer, ids.get<std::vector<std::int64_t>>());
        }
    }
    throw RequestError(where + R"(: expected {"text":"..."} or {"ids":[whole numbers]})");
}

}  // namespace

CommandResult run_tokenize(Context& context) {
    const Tokenizer tokenizer = load_tokenizer(context.options.snapshot);
    std::istringstream input(read_stdin(context.stop));
    CommandResult result;
    std::size_t number = 0;
    for (std::string line; std::getline(input, line);) {
        throw_if_stopped(context.stop);
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        const auto out = answer(tokenizer, line, "stdin, line " + std::to_string(number));
        // ASCII, because many readers also end a line at U+2028 or U+0085.
        result.output += out.dump(-1, ' ', /*ensure_ascii=*/true) + "\n";
    }
    return result;
}

}  // namespace earscope::cli
