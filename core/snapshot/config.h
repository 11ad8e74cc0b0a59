#pragma once
#include "core/snapshot/snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

namespace earscope {

/// Whisper-style encoder of Music Flamingo (`audio_config`).
struct AudioEncoderConfig {
    std::int64_t hidden_size = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t intermediate_size = 0;
    std::int64_t mel_bins = 128;
    std::int64_t max_source_positions = 1500;
};

/// Qwen-style decoder (`text_config` of Music Flamingo, `language_config` of MOSS-Music).
struct DecoderConfig {
    std::int64_t hidden_size = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t intermediate_size = 0;
    std::int64_t vocab_size = 0;
    std::int64_t max_positions = 0;
    double rope_theta = 1e6;
    double rms_norm_eps = 1e-6;
};

/// config.json of a Music Flamingo snapshot, every value checked before any tensor is made.
struct MusicFlamingoConfig {
    AudioEncoderConfig audio;
    DecoderConfig text;
    std::int64_t audio_token_id = 0;
    std::int64_t audio_bos_token_id = 0;
    std::int64_t audio_eos_token_id = 0;
    bool projector_bias = true;
    double audio_frame_step = 0.01;    ///< seconds per mel frame
    double rote_theta = 1200;          ///< also the number of cached positions (contract: 1,200 s)
    double rote_partial_factor = 0.2;  ///< of the encoder width, per axis
    std::vector<std::int64_t> eos_token_ids;  ///< generation_config.json, else config.json
    std::int64_t pad_token_id = 0;
};

/// Convolution stem and Whisper-style layers of MOSS-Music (`audio_config`).
struct MossEncoderConfig {
    std::int64_t hidden_size = 0;
    std::int64_t output_size = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t intermediate_size = 0;
    std::int64_t stem_channels = 0;
    std::int64_t chunk_frames = 400;
    std::int64_t chunks_at_once = 64;
    double layer_norm_eps = 1e-5;
    std::vector<std::int64_t> deepstack_layers;  ///< 0-based, the output of each is a stream
};

/// config.json of a MOSS-Music snapshot, every value checked before any tensor is made.
struct MossMusicConfig {
    MossEncoderConfig audio;
    DecoderConfig text;
    std::int64_t adapter_size = 8192;
    std::int64_t injected_streams = 0;  ///< DeepStack streams added to the first decoder layers
    std::int64_t audio_token_id = 151654;
    std::int64_t audio_start_id = 151669;
    std::int64_t audio_end_id = 151670;
    std::vector<std::int64_t> eos_token_ids;
    std::int64_t pad_token_id = 0;
};

/// @throws SnapshotError  as below
MossMusicConfig parse_moss_music_config(const Snapshot& snapshot);

/// @throws SnapshotError  names key and value (missing, wrong type, absurd, not divisible,
/// unsupported activation)
MusicFlamingoConfig parse_music_flamingo_config(const Snapshot& snapshot);

}  // namespace earscope
