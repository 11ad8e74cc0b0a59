#pragma once
#include "core/models/causal_model.h"
#include "core/nn/layers.h"
#include "core/nn/qwen_decoder.h"
#include "core/nn/whisper_layer.h"
#include "core/snapshot/config.h"

namespace earscope {

/// Mel frames of one token: three convolutions of stride 2.
inline constexpr std::int64_t kMossFramesPerToken = 8;

/// Sine and cosine halves, not interleaved; float32 whatever the model's type.
class SinusoidPositions : public Module {
public:
    explicit SinusoidPositions(std::int64_t width);
    /// @return float32 [1,count,width] on `device`
    at::Tensor forward(std::int64_t count, c10::Device device);

private:
    at::Tensor inverse_timescales_;  // float32 [width/2], on the CPU
};

/// Final and DeepStack streams of the encoder, [U,C] each, chunks back to back.
struct MossStreams {
    at::Tensor final_norm;
    std::vector<at::Tensor> deepstack;
};

/// Convolution stem and Whisper-style layers over chunks of 400 frames that see nothing of each
/// other (reference: MossMusicEncoder).
class MossEncoder : public Module {
public:
    MossEncoder(const MossEncoderConfig& config, Attention kind, ChunkPadding padding);

    /// @param mel      [A,128,F_max]
    /// @param lengths  valid frames of each source
    MossStreams forward(const at::Tensor& mel, const std::vector<std::int64_t>& lengths,
                        const ForwardOptions& options);

private:
    struct Chunk {
        std::int64_t source = 0;
        std::int64_t begin = 0;
        std::int64_t frames = 0;
    };
    std::vector<Chunk> cut(const std::vector<std::int64_t>& lengths) const;
    /// Zero-padded chunks side by side. [N,128,frames]
    at::Tensor stack(const at::Tensor& mel, const std::vector<Chunk>& chunks, std::size_t begin,
                     std::size_t end, std::int64_t frames) const;
    /// @param tokens  of every chunk; equal without padding to mask
    void encode(const at::Tensor& chunks, const std::vector<std::int64_t>& tokens,
                const std::stop_token& stop, std::vector<std::vector<at::Tensor>>& streams);
    void encode_trimmed(const at::Tensor& mel, const std::vector<Chunk>& chunks,
                        std::int64_t longest, const ForwardOptions& options,
                        std::vector<std::vector<at::Tensor>>& streams);
    void encode_padded(const at::Tensor& mel, const std::vector<Chunk>& chunks,
                       std::int64_t longest, const ForwardOptions& options,
                       std::vector<std::vector<at::Tensor>>& streams);
    at::Tensor project(const at::Tensor& x);

    MossEncoderConfig config_;
    ChunkPadding padding_;
    Activation gelu_;
    Conv2d conv1_;
    Conv2d conv2_;
    Conv2d conv3_;
    Linear stem_proj_;
    SinusoidPositions embed_positions_;
    ModuleList<WhisperEncoderLayer> layers_;
    LayerNorm layer_norm_;
    std::unique_ptr<Linear> out_proj_;
    Identity no_projection_;
};

class MossMusicModel : public CausalModel {
public:
    MossMusicModel(const MossMusicConfig& config, Attention kind, ChunkPadding padding);

    std::int64_t audio_width() const override { return config_.audio.output_size; }

    AudioFeatures encode_audio(const ModelInputs& inputs, const ForwardOptions& options) override;

protected:
    at::Tensor run_decoder(const ModelInputs& inputs, KvCache* cache, const ForwardOptions& options,
                           std::vector<at::Tensor>& hidden) override;
    const QwenModel& decoder() const override { return language_model_; }
    bool decoder_hooked() const override;

private:
    MossMusicConfig config_;
    MossEncoder audio_encoder_;
    QwenModel language_model_;
    GatedMlp audio_adapter_;
    ModuleList<GatedMlp> deepstack_audio_merger_list_;
};

}  // namespace earscope
