#include "core/nn/whisper_layer.h"

#include "core/nn/attention.h"

#include <ATen/ATen.h>

#include <cmath>

namespace earscope {

WhisperAttention::WhisperAttention(std::string class_name, std::int64_t width, std::int64_t heads,
                                   Attention kind)
    : Module(std::move(class_name)),
      heads_(heads),
      kind_(kind),
      k_proj_(width, width, false),
      v_proj_(width, width, true),
      q_proj_(width, width, true),
      out_proj_(width, width, true) {
    register_module("k_proj", k_proj_);
    register_module("v_proj", v_proj_);
    register_module("q_proj", q_proj_);
    register_module("out_proj", out_proj_);
}

at::Tensor WhisperAttention::forward(const at::Tensor& x, const at::Tensor& allowed) {
    return run(x, [&](const at::Tensor& input) { return attend_to(input, allowed); });
}

at::Tensor WhisperAttention::attend_to(const at::Tensor& x, const at::Tensor& allowed) {
    const std::int64_t head_dim = x.size(2) / heads_;
    const auto split = [&](const at::Tensor& t) {
        return t.view({x.size(0), x.size(1), heads_, head_dim}).transpose(1, 2);  // [N,H,T,Dh]
    };
    // The scale is applied to q itself, as the reference does, to round where it rounds.
    const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
    const at::Tensor query = split(q_proj_.forward(x) * scale);
    const at::Tensor key = split(k_proj_.forward(x));
    const at::Tensor value = split(v_proj_.forward(x));
    return out_proj_.forward(attend(query, key, value, {false, allowed}, 1.0, kind_));
}

WhisperEncoderLayer::WhisperEncoderLayer(const std::string& prefix, std::int64_t width,
                                         std::int64_t heads, std::int64_t intermediate,
                                         Attention kind)
    : Module(prefix + "EncoderLayer"),
      self_attn_(prefix + "Attention", width, heads, kind),
      self_attn_layer_norm_(width),
      activation_fn_(Activation::Kind::Gelu),
      fc1_(width, intermediate, true),
      fc2_(intermediate, width, true),
      final_layer_norm_(width) {
    register_module("self_attn", self_attn_);
    register_module("self_attn_layer_norm", self_attn_layer_norm_);
    register_module("activation_fn", activation_fn_);
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
    register_module("final_layer_norm", final_layer_norm_);
}

at::Tensor WhisperEncoderLayer::forward(const at::Tensor& x, const at::Tensor& allowed) {
    return run(x, [&](const at::Tensor& input) {
        const at::Tensor attended =
            input + self_attn_.forward(self_attn_layer_norm_.forward(input), allowed);
        const at::Tensor inner =
            activation_fn_.forward(fc1_.forward(final_layer_norm_.forward(attended)));
        at::Tensor out = attended + fc2_.forward(inner);
        if (out.scalar_type() == at::kHalf) {
            constexpr double kLimit = 65504.0 - 1000.0;  // keeps float16 from overflowing
            out = at::clamp(out, -kLimit, kLimit);
        }
        return out;
    });
}

}  // namespace earscope
