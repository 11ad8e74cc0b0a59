#pragma once
// Runs made by hand for tests of the run list and the Compare tab.
#include "core/compare/run_record.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace earscope {

/// A run whose tokens are these pieces with ids 100, 101, ... by first appearance across all calls
/// that share `vocabulary`; a stop token follows, which the text does not hold.
inline std::shared_ptr<const RunRecord> made_run(const std::vector<std::string>& pieces,
                                                 std::vector<std::string>& vocabulary,
                                                 const std::string& profile) {
    auto run = std::make_shared<RunRecord>();
    const auto add = [&](const std::string& piece) {
        std::size_t at = 0;
        while (at < vocabulary.size() && vocabulary[at] != piece) {
            ++at;
        }
        if (at == vocabulary.size()) {
            vocabulary.push_back(piece);
        }
        run->tokens.push_back({static_cast<std::int64_t>(100 + at), piece});
    };
    for (const std::string& piece : pieces) {
        add(piece);
        run->text += piece;
    }
    add("<|im_end|>");
    run->snapshot = "tiny";
    run->family = "Music Flamingo";
    run->prompt = "Describe this.\nIn two lines.";
    run->profile = profile;
    run->sample = profile != "paper_reference";
    run->sources = {{"drums.wav", 25, 1.0, "abc"}, {"voice.wav", 50, 2.0, "def"}};
    run->finish = "eos";
    run->prompt_width = 90;
    run->max_new_tokens = 32;
    run->tokens_per_second = 12.5;
    run->time_utc = "2026-01-02T03:04:05Z";
    return run;
}

}  // namespace earscope
