#pragma once
// What is kept of a finished run. Plain values of the standard library: no torch, no Qt.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earscope {

/// One generated token. `piece` is its id decoded alone, special tokens shown.
struct RunToken {
    std::int64_t id = 0;
    std::string piece;
};

/// Another choice that was put into an answer.
struct RunContinuation {
    std::int64_t token = 0;  ///< index of the generated token that stands there
    RunToken put;
};

/// One source of the request, in order.
struct RunSource {
    std::string name;  ///< file name, or "waveform"
    std::int64_t tokens = 0;
    double duration_seconds = 0;  ///< what the model was given
    std::string digest;           ///< of the 16 kHz samples the model was given
};

/// A finished run of one request: what was asked of which model, and what came of it. Runs are
/// never changed, only added to a list.
struct RunRecord {
    std::string snapshot;  ///< as shown to the user
    std::string folder;
    std::string family;          ///< "Music Flamingo", "MOSS-Music"
    std::string weights_digest;  ///< equal for equal weights only; see weights_digest.h
    std::string device;
    std::string dtype;
    std::string attention;
    std::string chunk_padding;  ///< MOSS-Music; empty otherwise

    std::string prompt;                   ///< as the user wrote it
    std::vector<std::int64_t> input_ids;  ///< expanded, without padding
    std::vector<RunSource> sources;
    std::vector<std::string> edits;  ///< in force during the run, as given to --edit
    /// The answer was made to go on from here; none: the model chose every token itself.
    std::optional<RunContinuation> continued;

    std::string profile;  ///< "paper_reference"; a changed copy has its own name
    bool sample = false;
    double temperature = 1;
    double top_p = 1;
    std::int64_t top_k = 0;
    std::int64_t max_new_tokens = 0;  ///< asked for
    std::uint64_t seed = 0;

    std::string text;
    std::vector<RunToken> tokens;   ///< the stop token included
    std::string finish;             ///< "eos" or "length"
    std::int64_t batch_size = 1;    ///< requests answered in the same call; their texts can differ
    std::int64_t batch_index = 0;   ///< from those of single ones
    std::int64_t prompt_width = 0;  ///< of the widest request of the batch
    std::int64_t budget = 0;        ///< what the context left room for
    double prefill_seconds = 0;
    double tokens_per_second = 0;  ///< of the whole batch
    std::string time_utc;          ///< ISO 8601
};

}  // namespace earscope
