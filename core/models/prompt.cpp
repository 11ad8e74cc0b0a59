#include "core/models/prompt.h"

#include "core/base/errors.h"

#include <algorithm>
#include <array>

namespace earscope {
namespace {

// Literally the families' own system texts, the misspelling of Music Flamingo's included: the
// models were trained with them.
constexpr std::string_view kMusicFlamingoSystem =
    "You are Music Flamingo, a multimodal assistant for language and music. On each turn you "
    "receive an "
    "audio clip which contains music and optional text, you will receive at least one or both; use "
    "your "
    "world knowledge and reasoning to help the user with any task. Interpret the entirety of the "
    "content "
    "any input music--regardlenss of whether the user calls it audio, music, or sound.";
constexpr std::string_view kMossSystem = "You are a helpful assistant.";

/// Names by which MOSS-Music's processor knows its audio tokens; refused in both families.
constexpr std::array<std::string_view, 3> kAliases = {"<|AUDIO|>", "<|audio_bos|>",
                                                      "<|audio_eos|>"};

/// MOSS-Music writes the seconds into its spans: every 2 s, after 25 tokens, one id per digit.
constexpr std::size_t kTokensPerTimeMarker = 25;
constexpr std::int64_t kDigitZeroId = 15;

std::size_t count_markers(const std::string& prompt) {
    std::size_t count = 0;
    for (auto at = prompt.find(kAudioMarker); at != std::string::npos;
         at = prompt.find(kAudioMarker, at + kAudioMarker.size())) {
        ++count;
    }
    return count;
}

void check_control_tokens(const std::string& prompt, const Tokenizer& tokenizer) {
    const auto refuse = [&](std::string_view token) {
        if (!token.empty() && token != kAudioMarker && prompt.find(token) != std::string::npos) {
            throw RequestError(
                "the prompt contains the native control token '" + std::string(token) +
                "'; remove it: control tokens are placed by Earscope alone (audio is marked by " +
                std::string(kAudioMarker) + ")");
        }
    };
    for (const AddedToken& token : tokenizer.added_tokens()) {
        refuse(token.content);
    }
    for (const std::string_view alias : kAliases) {
        refuse(alias);
    }
}

void check_source(const AudioSource& source) {
    const auto* path = std::get_if<std::filesystem::path>(&source);
    if (path == nullptr) {
        return;
    }
    const std::string& name = path->native();
    const auto scheme = name.find("://");
    if (scheme != std::string::npos && scheme > 0 &&
        std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(scheme),
                    [](unsigned char c) {
                        return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
                    })) {
        throw RequestError("'" + name +
                           "' is a URL; only local sound files are read, nothing is downloaded");
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(*path, ignored)) {
        throw RequestError("'" + name + "' is a directory; name a sound file");
    }
}

/// Collects a row piece by piece; text between spans is tokenized by itself, since spans are never
/// crossed.
class RowBuilder {
public:
    RowBuilder(const Processor& processor, Family family)
        : processor_(processor), family_(family) {}

    void add_text(const std::string& text) {
        row_.text += text;
        const auto ids = processor_.tokenizer.encode(text);
        row_.ids.insert(row_.ids.end(), ids.begin(), ids.end());
    }

    void add_span(std::int64_t tokens) {
        const bool moss = family_ == Family::MossMusic;
        const std::string place = moss ? "<|AUDIO|>" : audio_text();
        add_id(processor_.audio_begin_id, moss ? "<|audio_bos|>" : begin_text());
        std::vector<std::int64_t>& positions = row_.positions.emplace_back();
        for (std::int64_t i = 0; i < tokens; ++i) {
            positions.push_back(static_cast<std::int64_t>(row_.ids.size()));
            add_id(processor_.audio_token_id, place);
            if (moss && static_cast<std::size_t>(i + 1) % kTokensPerTimeMarker == 0) {
                add_seconds(2 * (i + 1) / static_cast<std::int64_t>(kTokensPerTimeMarker));
            }
        }
        add_id(processor_.audio_end_id, moss ? "<|audio_eos|>" : end_text());
    }

    ExpandedPrompt take() { return std::move(row_); }

private:
    std::string text_of(std::int64_t id) const { return processor_.tokenizer.bytes(id); }
    std::string begin_text() const { return text_of(processor_.audio_begin_id); }
    std::string audio_text() const { return text_of(processor_.audio_token_id); }
    std::string end_text() const { return text_of(processor_.audio_end_id); }

    void add_seconds(std::int64_t seconds) {
        for (const char digit : std::to_string(seconds)) {
            add_id(kDigitZeroId + (digit - '0'), std::string(1, digit));
        }
    }

    void add_id(std::int64_t id, const std::string& text) {
        row_.ids.push_back(id);
        row_.text += text;
    }

    const Processor& processor_;
    Family family_;
    ExpandedPrompt row_;
};

}  // namespace

void check_request(const Request& request, const Tokenizer& tokenizer) {
    if (request.audios.size() > kMaxAudiosPerRequest) {
        throw RequestError("a request takes at most " + std::to_string(kMaxAudiosPerRequest) +
                           " audios, this one has " + std::to_string(request.audios.size()));
    }
    (void)tokenizer.encode(
        request.prompt);  // refuses invalid UTF-8 and giant prompts before any audio work
    check_control_tokens(request.prompt, tokenizer);
    const std::size_t markers = count_markers(request.prompt);
    if (markers != 0 && markers != request.audios.size()) {
        throw RequestError("the prompt has " + std::to_string(markers) + " " +
                           std::string(kAudioMarker) + " markers for " +
                           std::to_string(request.audios.size()) +
                           " audios; write one per audio, or none for the default places");
    }
    for (const AudioSource& source : request.audios) {
        check_source(source);
    }
}

std::string prompt_with_markers(const std::string& prompt, std::size_t audios, Family family) {
    if (audios == 0 || count_markers(prompt) > 0) {
        return prompt;
    }
    if (audios == 1 && family == Family::MusicFlamingo) {
        return std::string(kAudioMarker) + "\n" + prompt;
    }
    std::string out;
    for (std::size_t i = 1; i <= audios; ++i) {
        out += "Audio " + std::to_string(i) + ": " + std::string(kAudioMarker) + "\n";
    }
    return out + prompt;
}

ExpandedPrompt expand_prompt(const std::string& user_turn, const std::vector<std::int64_t>& tokens,
                             const Processor& processor, Family family) {
    const std::string_view system =
        family == Family::MusicFlamingo ? kMusicFlamingoSystem : kMossSystem;
    RowBuilder row(processor, family);
    std::string text =
        "<|im_start|>system\n" + std::string(system) + "<|im_end|>\n<|im_start|>user\n";
    std::size_t from = 0;
    for (const std::int64_t count : tokens) {
        const std::size_t marker = user_turn.find(kAudioMarker, from);
        row.add_text(text + user_turn.substr(from, marker - from));
        row.add_span(count);
        text.clear();
        from = marker + kAudioMarker.size();
    }
    row.add_text(text + user_turn.substr(from) + "<|im_end|>\n<|im_start|>assistant\n");
    return row.take();
}

}  // namespace earscope
