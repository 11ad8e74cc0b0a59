#pragma once
#include "core/session.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace earscope {

/// Refuses a changed copy of a profile that cannot be sampled from.
/// @throws RequestError  temperature not above 0, top_p outside of (0, 1], top_k below 0
void check_sampling(const SamplingParameters& parameters);

/// Chooses the next token of every row from its logits, in the order of Transformers' logits
/// processors: temperature, top-k, top-p, softmax, one multinomial draw for the whole batch
/// (finished rows included).
class Sampler {
public:
    /// @param device  the draws come from a generator of its own there; the caller's stream is
    /// untouched
    /// @throws RequestError  as check_sampling()
    Sampler(const SamplingParameters& parameters, std::uint64_t seed, c10::Device device);

    /// @param logits  float32 [B,V]
    /// @return        int64 [B]
    at::Tensor next(const at::Tensor& logits);

    /// Scores after temperature, top-k and top-p: dropped ones are -infinity. [B,V]
    at::Tensor scores(const at::Tensor& logits) const;

private:
    SamplingParameters parameters_;
    at::Generator generator_;
};

}  // namespace earscope
