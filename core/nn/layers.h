#pragma once
#include "core/nn/module.h"

#include <cstdint>

namespace earscope {

/// y = x W^T + b. [...,in] -> [...,out]
class Linear : public Module {
public:
    Linear(std::int64_t in, std::int64_t out, bool bias);
    at::Tensor forward(const at::Tensor& x);
    /// The same without hooks.
    at::Tensor apply(const at::Tensor& x) const;

private:
    at::Tensor weight_;  // [out,in]
    at::Tensor bias_;    // [out], undefined without bias
};

/// Layer norm over the last dimension.
class LayerNorm : public Module {
public:
    explicit LayerNorm(std::int64_t width, double eps = 1e-5);
    at::Tensor forward(const at::Tensor& x);

private:
    std::int64_t width_;
    double eps_;
    at::Tensor weight_;
    at::Tensor bias_;
};

/// x / rms(x) * w; the division in float32, then rounded to the type of x (reference:
/// Qwen2RMSNorm).
class RmsNorm : public Module {
public:
    RmsNorm(std::string class_name, std::int64_t width, double eps);
    at::Tensor forward(const at::Tensor& x);
    /// The same without hooks.
    at::Tensor apply(const at::Tensor& x) const;

private:
    double eps_;
    at::Tensor weight_;
};

/// Rows of a table. int64 [...] -> [...,width]
class Embedding : public Module {
public:
    Embedding(std::int64_t count, std::int64_t width);
    at::Tensor forward(const at::Tensor& ids);

private:
    at::Tensor weight_;  // [count,width]
};

/// One-dimensional convolution, kernel 3, padding 1. [N,in,T] -> [N,out,T/stride]
class Conv1d : public Module {
public:
    Conv1d(std::int64_t in, std::int64_t out, std::int64_t stride);
    at::Tensor forward(const at::Tensor& x);

private:
    std::int64_t stride_;
    at::Tensor weight_;  // [out,in,3]
    at::Tensor bias_;
};

/// Two-dimensional convolution, kernel 3x3, stride 2, padding 1. [N,in,F,T] -> [N,out,F/2,T/2]
class Conv2d : public Module {
public:
    Conv2d(std::int64_t in, std::int64_t out);
    at::Tensor forward(const at::Tensor& x);

private:
    at::Tensor weight_;  // [out,in,3,3]
    at::Tensor bias_;
};

/// Exact (erf) GELU or SiLU.
class Activation : public Module {
public:
    enum class Kind { Gelu, Silu };
    explicit Activation(Kind kind);
    /// With the name of torch.nn's own class ("GELU", "SiLU").
    Activation(Kind kind, std::string class_name);
    at::Tensor forward(const at::Tensor& x);

private:
    Kind kind_;
};

/// down(silu(gate x) * up x). [...,in] -> [...,out]
class GatedMlp : public Module {
public:
    struct Widths {
        std::int64_t in = 0;
        std::int64_t inner = 0;
        std::int64_t out = 0;
    };
    GatedMlp(std::string class_name, const Widths& widths, std::string activation_name);
    at::Tensor forward(const at::Tensor& x);

private:
    Linear gate_proj_;
    Linear up_proj_;
    Linear down_proj_;
    Activation act_fn_;
};

/// Average of pairs along the last dimension; an odd last one is dropped. [N,C,T] -> [N,C,T/2]
class AvgPool1d : public Module {
public:
    AvgPool1d() : Module("AvgPool1d") {}
    at::Tensor forward(const at::Tensor& x);
};

/// Gives what it gets; a place for hooks.
class Identity : public Module {
public:
    Identity() : Module("Identity") {}
    at::Tensor forward(const at::Tensor& x) {
        return run(x, [](const at::Tensor& input) { return input; });
    }
};

/// Holds numbered children; never called itself.
template <typename Child>
class ModuleList : public Module {
public:
    ModuleList() : Module("ModuleList") {}
    void append(std::unique_ptr<Child> child) {
        register_module(std::to_string(children_.size()), *child);
        children_.push_back(std::move(child));
    }
    std::size_t size() const { return children_.size(); }
    Child& operator[](std::size_t index) { return *children_[index]; }
    auto begin() { return children_.begin(); }
    auto end() { return children_.end(); }

private:
    std::vector<std::unique_ptr<Child>> children_;
};

}  // namespace earscope
