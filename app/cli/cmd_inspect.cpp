#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/snapshot/config.h"
#include "core/snapshot/snapshot.h"

#include <map>

namespace earscope::cli {

namespace {

using nlohmann::ordered_json;

std::int64_t element_count(const TensorView& tensor) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) {
        count *= size;
    }
    return count;
}

ordered_json dimensions(const MusicFlamingoConfig& config) {
    const AudioEncoderConfig& audio = config.audio;
    const DecoderConfig& text = config.text;
    return {{"audio_encoder",
             {{"hidden_size", audio.hidden_size},
              {"layers", audio.layers},
              {"heads", audio.heads},
              {"intermediate_size", audio.intermediate_size},
              {"mel_bins", audio.mel_bins},
              {"positions", audio.max_source_positions}}},
            {"language_model",
             {{"hidden_size", text.hidden_size},
              {"layers", text.layers},
              {"heads", text.heads},
              {"kv_heads", text.kv_heads},
              {"head_dim", text.head_dim},
              {"intermediate_size", text.intermediate_size},
              {"vocab_size", text.vocab_size}}}};
}

ordered_json special_tokens(const Tokenizer& tokenizer, const MusicFlamingoConfig& config) {
    ordered_json added = ordered_json::array();
    for (const AddedToken& token : tokenizer.added_tokens()) {
        added.push_back({{"id", token.id}, {"content", token.content}, {"special", token.special}});
    }
    return {{"audio", config.audio_token_id},         {"audio_begin", config.audio_bos_token_id},
            {"audio_end", config.audio_eos_token_id}, {"end", config.eos_token_ids},
            {"padding", config.pad_token_id},         {"added", std::move(added)}};
}

}  // namespace

// Reads headers only, so that a snapshot of many gigabytes is shown at once.
CommandResult run_inspect(Context& context) {
    const Snapshot snapshot = open_snapshot(snapshot_folder(context.options.snapshot));
    const MusicFlamingoConfig config = parse_music_flamingo_config(snapshot);
    const Tokenizer tokenizer = Tokenizer::from_folder(snapshot.folder);

    std::int64_t parameters = 0;
    std::map<std::string, std::int64_t> dtypes;
    for (const auto& [name, tensor] : snapshot.tensors) {
        parameters += element_count(tensor);
        dtypes[std::string(dtype_name(tensor.dtype))] += element_count(tensor);
    }
    ordered_json files = ordered_json::array();
    for (const auto& [name, bytes] : snapshot.files) {
        files.push_back({{"name", name}, {"bytes", bytes}});
    }
    ordered_json out{{"name", snapshot.name},
                     {"folder", snapshot.folder.string()},
                     {"family", family_name(snapshot.family)},
                     {"dimensions", dimensions(config)},
                     {"dtypes", dtypes},
                     {"parameters", parameters},
                     {"weight_bytes", snapshot.weight_bytes},
                     {"context", config.text.max_positions},
                     {"files", std::move(files)},
                     {"special_tokens", special_tokens(tokenizer, config)}};
    return {json_text(out), {}};
}

}  // namespace earscope::cli
