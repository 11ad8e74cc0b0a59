#include "core/snapshot/config.h"

#include "core/snapshot/config_reader.h"
#include "core/snapshot/processor_check.h"

#include <algorithm>
#include <array>

namespace earscope {
namespace {

// Far beyond any model of the family; they keep products of sizes within 64 bits.
constexpr std::int64_t kMaxWidth = 1 << 17;
constexpr std::int64_t kMaxInner = 1 << 20;
constexpr std::int64_t kMaxLayers = 512;
constexpr std::int64_t kMaxHeads = 1024;
constexpr std::int64_t kMaxVocabulary = 1 << 22;
constexpr std::int64_t kMaxPositions = 1 << 24;

void require_divisible(const ConfigReader& reader, const char* what, std::int64_t number,
                       const char* by, std::int64_t divisor) {
    if (number % divisor != 0) {
        reader.refuse(
            what, number,
            std::string("which ") + by + " " + std::to_string(divisor) + " does not divide");
    }
}

AudioEncoderConfig parse_audio(const ConfigReader& reader) {
    reader.require_text("model_type", {"audioflamingo3_encoder", "musicflamingo_encoder"});
    reader.require_text("activation_function", {"gelu"});
    if (reader.boolean("scale_embedding", false)) {
        reader.refuse("scale_embedding", true, "only false is supported");
    }
    AudioEncoderConfig audio;
    audio.hidden_size = reader.integer({"hidden_size", "d_model"}, 1, kMaxWidth, 1280);
    audio.layers = reader.integer({"num_hidden_layers", "encoder_layers"}, 1, kMaxLayers, 32);
    audio.heads =
        reader.integer({"num_attention_heads", "encoder_attention_heads"}, 1, kMaxHeads, 20);
    audio.intermediate_size =
        reader.integer({"intermediate_size", "encoder_ffn_dim"}, 1, kMaxInner, 5120);
    // Both are fixed by the front end: 128 mel bands, windows of 3000 frames halved by conv2.
    audio.mel_bins = reader.integer({"num_mel_bins"}, 128, 128, 128);
    audio.max_source_positions = reader.integer({"max_source_positions"}, 1500, 1500, 1500);
    require_divisible(reader, "hidden_size", audio.hidden_size, "num_attention_heads", audio.heads);
    return audio;
}

/// Rotary positions of the decoder: rope_parameters today, rope_theta and rope_scaling before.
double parse_rope_theta(const ConfigReader& reader) {
    constexpr double kLowest = 1;
    constexpr double kHighest = 1e12;
    constexpr double kReferenceDefault = 10'000;
    for (const char* const key : {"rope_parameters", "rope_scaling"}) {
        const ConfigReader rope = reader.object(key);
        rope.require_text("rope_type", {"default"});
        rope.require_text("type", {"default"});
        rope.require_number("partial_rotary_factor", 1);
    }
    const double flat = reader.number({"rope_theta"}, kLowest, kHighest, kReferenceDefault);
    return reader.object("rope_parameters").number({"rope_theta"}, kLowest, kHighest, flat);
}

void require_full_attention(const ConfigReader& reader) {
    if (reader.boolean("use_sliding_window", false) && reader.has("sliding_window")) {
        reader.refuse("use_sliding_window", true, "only false is supported");
    }
    const auto* const types = reader.find({"layer_types"}).second;
    if (types == nullptr) {
        return;
    }
    const bool full =
        types->is_array() && std::all_of(types->begin(), types->end(),
                                         [](auto& type) { return type == "full_attention"; });
    if (!full) {
        reader.refuse("layer_types", *types, "only \"full_attention\" is supported");
    }
}

/// Defaults are those of Transformers' own configuration class of the decoder.
DecoderConfig parse_text(const ConfigReader& reader, const char* model_type) {
    reader.require_text("model_type", {model_type});
    reader.require_text("hidden_act", {"silu"});
    require_full_attention(reader);
    if (reader.boolean("tie_word_embeddings", false)) {
        reader.refuse("tie_word_embeddings", true, "only false is supported");
    }
    DecoderConfig text;
    text.hidden_size = reader.integer({"hidden_size"}, 1, kMaxWidth, 4096);
    text.layers = reader.integer({"num_hidden_layers"}, 1, kMaxLayers, 32);
    text.heads = reader.integer({"num_attention_heads"}, 1, kMaxHeads, 32);
    text.kv_heads = reader.integer({"num_key_value_heads"}, 1, kMaxHeads, text.heads);
    text.intermediate_size = reader.integer({"intermediate_size"}, 1, kMaxInner, 22016);
    text.vocab_size = reader.integer({"vocab_size"}, 1, kMaxVocabulary, 151936);
    text.max_positions = reader.integer({"max_position_embeddings"}, 1, kMaxPositions, 32768);
    text.rms_norm_eps = reader.number({"rms_norm_eps"}, 1e-12, 1e-2, 1e-6);
    text.rope_theta = parse_rope_theta(reader);
    if (!reader.has("head_dim")) {
        require_divisible(reader, "hidden_size", text.hidden_size, "num_attention_heads",
                          text.heads);
    }
    text.head_dim = reader.integer({"head_dim"}, 1, kMaxWidth,
                                   std::max<std::int64_t>(text.hidden_size / text.heads, 1));
    if (text.head_dim % 2 != 0) {
        reader.refuse("head_dim", text.head_dim, "rotary positions need an even number");
    }
    require_divisible(reader, "num_attention_heads", text.heads, "num_key_value_heads",
                      text.kv_heads);
    return text;
}

/// Rotary time embedding. The reference overwrites the file's head_dim with the encoder's width and
/// max_position_embeddings with theta, so neither is read.
void parse_rote(const ConfigReader& root, MusicFlamingoConfig& config) {
    const ConfigReader rope = root.object("rope_parameters");
    rope.require_text("rope_type", {"default"});
    const double flat_theta = root.number({"rope_theta"}, 1, 1e6, 1200);
    config.rote_theta = rope.number({"rope_theta"}, 1, 1e6, flat_theta);
    const double flat_factor = root.number({"partial_rotary_factor"}, 1e-6, 1, 0.2);
    config.rote_partial_factor = rope.number({"partial_rotary_factor"}, 1e-6, 1, flat_factor);
    const auto rotated = static_cast<std::int64_t>(static_cast<double>(config.audio.hidden_size) *
                                                   config.rote_partial_factor);
    // Two axes, each of `rotated` values in pairs, side by side in one row of the encoder.
    const std::int64_t paired = (rotated + 1) / 2 * 2;
    if (rotated < 2 || 2 * paired > config.audio.hidden_size) {
        rope.refuse("partial_rotary_factor", config.rote_partial_factor,
                    "which rotates twice " + std::to_string(rotated) + " of the encoder's " +
                        std::to_string(config.audio.hidden_size) +
                        " values; at least 2 and at most half of them can be");
    }
}

std::vector<std::int64_t> token_ids(const ConfigReader& reader, const char* key,
                                    std::int64_t vocabulary) {
    const auto* const value = reader.find({key}).second;
    std::vector<std::int64_t> ids;
    if (value == nullptr) {
        return ids;
    }
    const auto add = [&](const nlohmann::json& id) {
        // A number over 2^63 becomes negative here and is refused like one.
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
            id.get<std::int64_t>() >= vocabulary) {
            reader.refuse(key, *value,
                          "token ids from 0 to " + std::to_string(vocabulary - 1) + " are needed");
        }
        const auto number = id.get<std::int64_t>();
        if (std::find(ids.begin(), ids.end(), number) == ids.end()) {
            ids.push_back(number);
        }
    };
    if (!value->is_array()) {
        add(*value);
        return ids;
    }
    if (value->size() > 1000) {
        reader.refuse(key, *value, "at most 1000 token ids are needed");
    }
    for (const nlohmann::json& id : *value) {
        add(id);
    }
    return ids;
}

/// The id tokenizer_config.json gives its pad_token by added_tokens_decoder, or nothing.
std::vector<std::int64_t> tokenizer_pad(const nlohmann::json& tokenizer, std::int64_t vocabulary) {
    const auto pad = tokenizer.find("pad_token");
    const auto added = tokenizer.find("added_tokens_decoder");
    if (pad == tokenizer.end() || added == tokenizer.end() || !added->is_object()) {
        return {};
    }
    const nlohmann::json content =
        pad->is_object() ? pad->value("content", nlohmann::json()) : *pad;
    for (const auto& [id, token] : added->items()) {
        const bool numeric = !id.empty() && id.size() < 10 &&
                             id.find_first_not_of("0123456789") == std::string::npos;
        if (numeric && content.is_string() && token.is_object() &&
            token.value("content", nlohmann::json()) == content && std::stoll(id) < vocabulary) {
            return {std::stoll(id)};
        }
    }
    return {};
}

template <typename Config>
void parse_end_and_pad(const Snapshot& snapshot, const ConfigReader& root, const ConfigReader& text,
                       Config& config) {
    const ConfigReader generation(snapshot.generation_config, "generation_config.json");
    const std::int64_t vocabulary = config.text.vocab_size;
    for (const ConfigReader* reader : {&generation, &root, &text}) {
        if (config.eos_token_ids.empty()) {
            config.eos_token_ids = token_ids(*reader, "eos_token_id", vocabulary);
        }
    }
    if (config.eos_token_ids.empty()) {
        generation.refuse_missing("eos_token_id (and that of config.json)");
    }
    const std::array candidates{token_ids(generation, "pad_token_id", vocabulary),
                                token_ids(root, "pad_token_id", vocabulary),
                                tokenizer_pad(snapshot.tokenizer_config, vocabulary),
                                token_ids(text, "pad_token_id", vocabulary), config.eos_token_ids};
    for (const auto& ids : candidates) {
        if (!ids.empty()) {
            config.pad_token_id = ids.front();
            break;
        }
    }
}

MossEncoderConfig parse_moss_audio(const ConfigReader& reader) {
    reader.require_text("activation_function", {"gelu"});
    MossEncoderConfig audio;
    audio.hidden_size = reader.integer({"d_model"}, 4, kMaxWidth, 1280);
    audio.output_size = reader.integer({"output_dim"}, 1, kMaxWidth, audio.hidden_size);
    audio.layers = reader.integer({"encoder_layers"}, 1, kMaxLayers, 32);
    audio.heads = reader.integer({"encoder_attention_heads"}, 1, kMaxHeads, 20);
    audio.intermediate_size = reader.integer({"encoder_ffn_dim"}, 1, kMaxInner, 5120);
    audio.stem_channels = reader.integer({"downsample_hidden_size"}, 1, kMaxWidth, 480);
    audio.chunk_frames = 2 * reader.integer({"n_window"}, 200, 200, 200);
    audio.chunks_at_once = reader.integer({"conv_chunksize"}, 1, 1 << 20, 64);
    audio.layer_norm_eps = reader.number({"layer_norm_eps"}, 1e-12, 1e-2, 1e-5);
    reader.integer({"num_mel_bins"}, 128, 128, 128);  // the front end makes 128
    require_divisible(reader, "d_model", audio.hidden_size, "encoder_attention_heads", audio.heads);
    require_divisible(reader, "d_model", audio.hidden_size, "the two halves of a position,", 2);
    const auto* const indexes = reader.find({"deepstack_encoder_layer_indexes"}).second;
    if (indexes == nullptr) {
        audio.deepstack_layers = {8, 16, 24};
    } else {
        audio.deepstack_layers = token_ids(reader, "deepstack_encoder_layer_indexes", audio.layers);
    }
    for (const std::int64_t layer : audio.deepstack_layers) {
        if (layer >= audio.layers) {
            reader.refuse("deepstack_encoder_layer_indexes", layer, "the encoder has fewer layers");
        }
    }
    return audio;
}

}  // namespace

MossMusicConfig parse_moss_music_config(const Snapshot& snapshot) {
    const ConfigReader root(snapshot.config, "config.json");
    for (const char* const part : {"audio_config", "language_config"}) {
        if (!root.has(part)) {
            root.refuse_missing(part);
        }
    }
    const ConfigReader text = root.object("language_config");
    MossMusicConfig config;
    config.audio = parse_moss_audio(root.object("audio_config"));
    config.text = parse_text(text, "qwen3");
    if (text.boolean("attention_bias", false)) {
        text.refuse("attention_bias", true, "only false is supported");
    }
    config.adapter_size = root.integer({"adapter_hidden_size"}, 1, kMaxInner, 8192);
    const auto streams = static_cast<std::int64_t>(config.audio.deepstack_layers.size());
    config.injected_streams =
        std::min(streams, root.integer({"deepstack_num_inject_layers"}, 0, kMaxLayers, streams));
    if (config.injected_streams > config.text.layers) {
        root.refuse("deepstack_num_inject_layers", config.injected_streams,
                    "the decoder has fewer layers");
    }
    const ConfigReader processor(snapshot.processor_config, "processor_config.json");
    const std::int64_t last = config.text.vocab_size - 1;
    config.audio_token_id = processor.integer({"audio_token_id"}, 0, last, 151654);
    config.audio_start_id = processor.integer({"audio_start_id"}, 0, last, 151669);
    config.audio_end_id = processor.integer({"audio_end_id"}, 0, last, 151670);
    parse_end_and_pad(snapshot, root, text, config);
    return config;
}

MusicFlamingoConfig parse_music_flamingo_config(const Snapshot& snapshot) {
    const ConfigReader root(snapshot.config, "config.json");
    for (const char* const part : {"audio_config", "text_config"}) {
        if (!root.has(part)) {
            root.refuse_missing(part);
        }
    }
    const ConfigReader text = root.object("text_config");
    MusicFlamingoConfig config;
    config.audio = parse_audio(root.object("audio_config"));
    config.text = parse_text(text, "qwen2");
    const std::int64_t last = config.text.vocab_size - 1;
    config.audio_token_id = root.integer({"audio_token_id"}, 0, last, 151669);
    config.audio_bos_token_id = root.integer({"audio_bos_token_id"}, 0, last, 151670);
    config.audio_eos_token_id = root.integer({"audio_eos_token_id"}, 0, last, 151671);
    if (config.audio_token_id == config.audio_bos_token_id ||
        config.audio_token_id == config.audio_eos_token_id ||
        config.audio_bos_token_id == config.audio_eos_token_id) {
        root.refuse("audio_token_id", config.audio_token_id,
                    "it and audio_bos_token_id and audio_eos_token_id must differ");
    }
    root.require_text("projector_hidden_act", {"gelu"});
    config.projector_bias = root.boolean("projector_bias", true);
    config.audio_frame_step = root.number({"audio_frame_step"}, 1e-4, 1, 0.01);
    if (root.boolean("tie_word_embeddings", false)) {
        root.refuse("tie_word_embeddings", true, "only false is supported");
    }
    parse_rote(root, config);
    parse_end_and_pad(snapshot, root, text, config);
    check_music_flamingo_processor(snapshot);
    return config;
}

}  // namespace earscope
