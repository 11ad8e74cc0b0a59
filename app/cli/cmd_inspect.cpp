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

ordered_json decoder_dimensions(const DecoderConfig& text) {
    return {{"hidden_size", text.hidden_size},
            {"layers", text.layers},
            {"heads", text.heads},
            {"kv_heads", text.kv_heads},
            {"head_dim", text.head_dim},
            {"intermediate_size", text.intermediate_size},
            {"vocab_size", text.vocab_size}};
}

ordered_json added_tokens(const Tokenizer& tokenizer) {
    ordered_json added = ordered_json::array();
    for (const AddedToken& token : tokenizer.added_tokens()) {
        added.push_back({{"id", token.id}, {"content", token.content}, {"special", token.special}});
    }
    return added;
}

/// What config.json says of the family at hand.
struct FamilyFacts {
    ordered_json dimensions;
    ordered_json special_tokens;
    std::int64_t context = 0;
};

FamilyFacts music_flamingo_facts(const Snapshot& snapshot) {
    const MusicFlamingoConfig config = parse_music_flamingo_config(snapshot);
    const AudioEncoderConfig& audio = config.audio;
    return {{{"audio_encoder",
              {{"hidden_size", audio.hidden_size},
               {"layers", audio.layers},
               {"heads", audio.heads},
               {"intermediate_size", audio.intermediate_size},
               {"mel_bins", audio.mel_bins},
               {"positions", audio.max_source_positions}}},
             {"language_model", decoder_dimensions(config.text)}},
            {{"audio", config.audio_token_id},
             {"audio_begin", config.audio_bos_token_id},
             {"audio_end", config.audio_eos_token_id},
             {"end", config.eos_token_ids},
             {"padding", config.pad_token_id},
             {"added", added_tokens(Tokenizer::from_folder(snapshot.folder))}},
            config.text.max_positions};
}

FamilyFacts moss_music_facts(const Snapshot& snapshot) {
    const MossMusicConfig config = parse_moss_music_config(snapshot);
    const MossEncoderConfig& audio = config.audio;
    return {{{"audio_encoder",
              {{"hidden_size", audio.hidden_size},
               {"output_size", audio.output_size},
               {"layers", audio.layers},
               {"heads", audio.heads},
               {"intermediate_size", audio.intermediate_size},
               {"stem_channels", audio.stem_channels},
               {"chunk_frames", audio.chunk_frames},
               {"deepstack_layers", audio.deepstack_layers}}},
             {"adapter_size", config.adapter_size},
             {"injected_streams", config.injected_streams},
             {"language_model", decoder_dimensions(config.text)}},
            {{"audio", config.audio_token_id},
             {"audio_begin", config.audio_start_id},
             {"audio_end", config.audio_end_id},
             {"end", config.eos_token_ids},
             {"padding", config.pad_token_id},
             {"added", added_tokens(Tokenizer::from_folder(snapshot.folder, TokenizerKind::Slow))}},
            config.text.max_positions};
}

}  // namespace

// Reads headers only, so that a snapshot of many gigabytes is shown at once.
CommandResult run_inspect(Context& context) {
    const Snapshot snapshot = open_snapshot(snapshot_folder(context.options.snapshot));
    FamilyFacts facts = snapshot.family == Family::MossMusic ? moss_music_facts(snapshot)
                                                             : music_flamingo_facts(snapshot);

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
                     {"dimensions", std::move(facts.dimensions)},
                     {"dtypes", dtypes},
                     {"parameters", parameters},
                     {"weight_bytes", snapshot.weight_bytes},
                     {"context", facts.context},
                     {"files", std::move(files)},
                     {"special_tokens", std::move(facts.special_tokens)},
                     {"notices", snapshot.notices}};
    return {json_text(out), {}};
}

}  // namespace earscope::cli
