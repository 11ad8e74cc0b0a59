#pragma once
#include "core/models/causal_model.h"
#include "core/nn/layers.h"
#include "core/nn/qwen_decoder.h"
#include "core/nn/whisper_layer.h"
#include "core/snapshot/config.h"

#include <memory>

namespace earscope {

/// Mel frames of a full window, and what it becomes.
inline constexpr std::int64_t kWindowFrames = 3000;
inline constexpr std::int64_t kWindowTokens = 750;
inline constexpr std::int64_t kWindowSamples = 480'000;
inline constexpr std::int64_t kMaxWindows = 40;  // 1,200 s

/// Encoder positions after the strided convolution: (frames-1)//2+1, the division rounding down as
/// in Python.
std::int64_t conv_length(std::int64_t frames);
/// Audio tokens of a window with `frames` valid mel frames: (conv_length-2)//2+1; 0 for one or two
/// frames.
std::int64_t window_token_count(std::int64_t frames);

/// Whisper-style encoder, average pool over pairs, layer norm (reference: AudioFlamingo3Encoder).
class MusicFlamingoEncoder : public Module {
public:
    MusicFlamingoEncoder(const AudioEncoderConfig& config, Attention kind);

    /// One group of windows with the same number of valid frames; computes only what reaches a
    /// valid token.
    /// @param mel     [N,128,F], F at least min(3000, 2*conv_length+1)
    /// @param frames  valid mel frames of every window, at least 3
    /// @return        [N,U,C]
    at::Tensor forward_valid(const at::Tensor& mel, std::int64_t frames,
                             const std::stop_token& stop);

    /// The reference's own shapes: every position of the padded window, padding masked. For hooks.
    /// @param mel     [W,128,3000]
    /// @param frames  int64 [W], valid frames
    /// @return        [W,750,C]
    at::Tensor forward_padded(const at::Tensor& mel, const at::Tensor& frames,
                              const std::stop_token& stop);

private:
    at::Tensor finish(at::Tensor x);

    Conv1d conv1_;
    Conv1d conv2_;
    Embedding embed_positions_;
    ModuleList<WhisperEncoderLayer> layers_;
    LayerNorm layer_norm_;
    AvgPool1d avg_pooler_;
};

/// Rotary time embedding over the window index and the place within the window, both turned by the
/// absolute time (reference: MusicFlamingoRotaryEmbedding; paper: arXiv 2410.12109). All float32,
/// in the reference's order of operations: at hundreds of seconds its rounding is larger than 1e-4.
class RotaryTimeEmbedding : public Module {
public:
    explicit RotaryTimeEmbedding(const MusicFlamingoConfig& config);

    /// @param windows  float32 [N], index of each window within its source
    /// @param rows     first rows of each window that are needed
    /// @return         cos and sin, float32 [N,rows,2*dim]
    std::pair<at::Tensor, at::Tensor> forward(const at::Tensor& windows, std::int64_t rows);
    /// Seconds at which rows begin. @return float32 [N,rows]
    at::Tensor timestamps(const at::Tensor& windows, std::int64_t rows) const;

private:
    double frame_step_;
    double positions_;
    at::Tensor inverse_frequencies_;  // float32 [dim/2]
    at::Tensor position_angles_;      // float32 [positions,dim]
};

class MusicFlamingoProjector : public Module {
public:
    explicit MusicFlamingoProjector(const MusicFlamingoConfig& config);
    /// [...,C] -> [...,D]
    at::Tensor forward(const at::Tensor& x);

private:
    Linear linear_1_;
    Activation act_;
    Linear linear_2_;
};

/// Encoder, rotary time embedding, projector and decoder; child "model" of the whole.
class MusicFlamingoBody : public Module {
public:
    MusicFlamingoBody(const MusicFlamingoConfig& config, Attention kind);

    AudioFeatures encode_audio(const ModelInputs& inputs, const ForwardOptions& options);
    /// Token embeddings with the audio rows put in. [B,L,D]
    at::Tensor embed(const ModelInputs& inputs, const ForwardOptions& options);

    const QwenModel& language_model() const { return language_model_; }
    /// Runs the decoder between this module's own hooks.
    at::Tensor forward(const ModelInputs& inputs, KvCache* cache, const ForwardOptions& options,
                       std::vector<at::Tensor>& hidden);

private:
    AudioFeatures encode_valid(const ModelInputs& inputs, const std::vector<std::int64_t>& frames,
                               const at::Tensor& windows, const ForwardOptions& options);
    AudioFeatures encode_padded(const ModelInputs& inputs, const std::vector<std::int64_t>& frames,
                                const at::Tensor& windows, const ForwardOptions& options);

    std::int64_t audio_token_id_;
    MusicFlamingoEncoder audio_tower_;
    QwenModel language_model_;
    MusicFlamingoProjector multi_modal_projector_;
    RotaryTimeEmbedding pos_emb_;
};

class MusicFlamingoModel : public CausalModel {
public:
    MusicFlamingoModel(const MusicFlamingoConfig& config, Attention kind);

    std::int64_t audio_width() const override { return audio_width_; }

    AudioFeatures encode_audio(const ModelInputs& inputs, const ForwardOptions& options) override;

protected:
    at::Tensor run_decoder(const ModelInputs& inputs, KvCache* cache, const ForwardOptions& options,
                           std::vector<at::Tensor>& hidden) override;
    const QwenModel& decoder() const override { return model_.language_model(); }
    bool decoder_hooked() const override;

private:
    std::int64_t audio_width_;
    MusicFlamingoBody model_;
};

/// The name a parameter of the model has on disk: "model.language_model.x" is written as
/// "language_model.model.x", "lm_head.weight" below "language_model.", others without "model.".
std::string music_flamingo_disk_name(const std::string& parameter);

}  // namespace earscope
