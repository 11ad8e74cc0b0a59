#include "core/nn/layers.h"

#include "core/nn/linear_kernels.h"

#include <ATen/ATen.h>

namespace earscope {

Linear::Linear(std::int64_t in, std::int64_t out, bool bias) : Module("Linear") {
    register_parameter("weight", weight_, {out, in});
    if (bias) {
        register_parameter("bias", bias_, {out});
    }
}

at::Tensor Linear::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) { return apply(input); });
}

at::Tensor Linear::apply(const at::Tensor& x) const {
    return linear(x, weight_, bias_);
}

LayerNorm::LayerNorm(std::int64_t width, double eps)
    : Module("LayerNorm"), width_(width), eps_(eps) {
    register_parameter("weight", weight_, {width});
    register_parameter("bias", bias_, {width});
}

at::Tensor LayerNorm::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return at::layer_norm(input, {width_}, weight_, bias_, eps_);
    });
}

RmsNorm::RmsNorm(std::string class_name, std::int64_t width, double eps)
    : Module(std::move(class_name)), eps_(eps) {
    register_parameter("weight", weight_, {width});
}

at::Tensor RmsNorm::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) { return apply(input); });
}

at::Tensor RmsNorm::apply(const at::Tensor& x) const {
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor variance = wide.pow(2).mean(-1, /*keepdim=*/true);
    return weight_ * (wide * at::rsqrt(variance + eps_)).to(x.scalar_type());
}

Embedding::Embedding(std::int64_t count, std::int64_t width) : Module("Embedding") {
    register_parameter("weight", weight_, {count, width});
}

at::Tensor Embedding::forward(const at::Tensor& ids) {
    return run(ids, [this](const at::Tensor& input) { return at::embedding(weight_, input); });
}

Conv1d::Conv1d(std::int64_t in, std::int64_t out, std::int64_t stride)
    : Module("Conv1d"), stride_(stride) {
    register_parameter("weight", weight_, {out, in, 3});
    register_parameter("bias", bias_, {out});
}

at::Tensor Conv1d::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return at::conv1d(input, weight_, bias_, stride_, /*padding=*/1);
    });
}

Conv2d::Conv2d(std::int64_t in, std::int64_t out) : Module("Conv2d") {
    register_parameter("weight", weight_, {out, in, 3, 3});
    register_parameter("bias", bias_, {out});
}

at::Tensor Conv2d::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return at::conv2d(input, weight_, bias_, /*stride=*/2, /*padding=*/1);
    });
}

Activation::Activation(Kind kind)
    : Activation(kind, kind == Kind::Gelu ? "GELUActivation" : "SiLUActivation") {}

Activation::Activation(Kind kind, std::string class_name)
    : Module(std::move(class_name)), kind_(kind) {}

at::Tensor Activation::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return kind_ == Kind::Gelu ? at::gelu(input) : at::silu(input);
    });
}

GatedMlp::GatedMlp(std::string class_name, const Widths& widths, std::string activation_name)
    : Module(std::move(class_name)),
      gate_proj_(widths.in, widths.inner, false),
      up_proj_(widths.in, widths.inner, false),
      down_proj_(widths.inner, widths.out, false),
      act_fn_(Activation::Kind::Silu, std::move(activation_name)) {
    register_module("gate_proj", gate_proj_);
    register_module("up_proj", up_proj_);
    register_module("down_proj", down_proj_);
    register_module("act_fn", act_fn_);
}

at::Tensor GatedMlp::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return down_proj_.forward(act_fn_.forward(gate_proj_.forward(input)) *
                                  up_proj_.forward(input));
    });
}

at::Tensor AvgPool1d::forward(const at::Tensor& x) {
    return run(x, [](const at::Tensor& input) { return at::avg_pool1d(input, 2, 2); });
}

}  // namespace earscope
