#pragma once
#include "core/models/model.h"
#include "core/nn/layers.h"
#include "core/nn/qwen_decoder.h"
#include "core/snapshot/config.h"

namespace earscope {

/// Where the rows of audio go, bool [B,L]: the id of audio, on the prompt.
at::Tensor audio_places(const ModelInputs& inputs, std::int64_t audio_token_id);

/// What both families do alike around their decoders: the output head on the positions asked for,
/// the forward, the prefill and the single step, and not stopping early where a hook still waits.
class CausalModel : public Model {
public:
    std::int64_t layer_count() const override { return text_.layers; }
    std::int64_t hidden_size() const override { return text_.hidden_size; }
    std::int64_t vocab_size() const override { return text_.vocab_size; }
    std::int64_t context_length() const override { return text_.max_positions; }
    std::int64_t head_count() const override { return text_.heads; }
    std::int64_t head_dim() const override { return text_.head_dim; }
    at::Tensor read_out(const at::Tensor& states, bool normalised) override;

    ModelOutput forward(const ModelInputs& inputs, const ForwardOptions& options) override;
    at::Tensor prefill(const ModelInputs& inputs, KvCache& cache,
                       const ForwardOptions& options) override;
    at::Tensor decode_step(const at::Tensor& ids, KvCache& cache,
                           const ForwardOptions& options) override;

protected:
    CausalModel(std::string class_name, const DecoderConfig& text);

    /// Audio and text through the decoder.
    /// @param hidden  receives one entry per options.hidden_layers
    /// @return        [B,L,D] after the final norm; undefined when it stopped before
    virtual at::Tensor run_decoder(const ModelInputs& inputs, KvCache* cache,
                                   const ForwardOptions& options,
                                   std::vector<at::Tensor>& hidden) = 0;
    virtual const QwenModel& decoder() const = 0;
    /// Whether a hook waits at the decoder or at what holds it.
    virtual bool decoder_hooked() const = 0;

    Linear lm_head_;  ///< registered by the family, last of its children

private:
    ModelOutput run_model(const ModelInputs& inputs, KvCache* cache, const ForwardOptions& options);

    DecoderConfig text_;
};

}  // namespace earscope
