#pragma once
#include "core/models/model.h"
#include "core/nn/layers.h"

#include <memory>

namespace earscope {

/// Self-attention of the Whisper-style encoders: q, v and out with bias, k without; q is scaled
/// before the product.
class WhisperAttention : public Module {
public:
    WhisperAttention(std::string class_name, std::int64_t width, std::int64_t heads,
                     Attention kind);
    /// @param x        [N,T,C]
    /// @param allowed  bool [N,1,1,T], keys that may be seen; undefined: all
    at::Tensor forward(const at::Tensor& x, const at::Tensor& allowed);

private:
    at::Tensor attend_to(const at::Tensor& x, const at::Tensor& allowed);

    std::int64_t heads_;
    Attention kind_;
    Linear k_proj_;
    Linear v_proj_;
    Linear q_proj_;
    Linear out_proj_;
};

/// Pre-norm Whisper encoder layer. [N,T,C] -> [N,T,C]
class WhisperEncoderLayer : public Module {
public:
    WhisperEncoderLayer(const std::string& prefix, std::int64_t width, std::int64_t heads,
                        std::int64_t intermediate, Attention kind);
    at::Tensor forward(const at::Tensor& x, const at::Tensor& allowed);

private:
    WhisperAttention self_attn_;
    LayerNorm self_attn_layer_norm_;
    Activation activation_fn_;
    Linear fc1_;
    Linear fc2_;
    LayerNorm final_layer_norm_;
};

}  // namespace earscope
