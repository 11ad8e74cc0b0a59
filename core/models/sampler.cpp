#include "core/models/sampler.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <cmath>
#include <limits>

namespace earscope {
namespace {

constexpr double kDropped = -std::numeric_limits<double>::infinity();

at::Generator make_generator(c10::Device device, std::uint64_t seed) {
    at::Generator generator = at::globalContext().defaultGenerator(device).clone();
    generator.set_current_seed(seed);
    return generator;
}

}  // namespace

void check_sampling(const SamplingParameters& parameters) {
    if (!(parameters.temperature > 0) || !std::isfinite(parameters.temperature)) {
        throw RequestError("temperature is " + std::to_string(parameters.temperature) +
                           "; it must be above 0");
    }
    if (!(parameters.top_p > 0) || parameters.top_p > 1) {
        throw RequestError("top_p is " + std::to_string(parameters.top_p) +
                           "; it must be above 0 and at most 1");
    }
    if (parameters.top_k < 0) {
        throw RequestError("top_k is " + std::to_string(parameters.top_k) +
                           "; it must be 0 (off) or more");
    }
}

Sampler::Sampler(const SamplingParameters& parameters, std::uint64_t seed, c10::Device device)
    : parameters_(parameters) {
    if (parameters_.sample) {
        check_sampling(parameters_);
        generator_ = make_generator(device, seed);
    }
}

at::Tensor Sampler::scores(const at::Tensor& logits) const {
    at::Tensor scores = logits;
    if (parameters_.temperature != 1.0) {
        scores = scores / parameters_.temperature;
    }
    if (parameters_.top_k > 0) {
        const std::int64_t k = std::min(parameters_.top_k, scores.size(-1));
        const at::Tensor smallest = std::get<0>(at::topk(scores, k)).narrow(-1, k - 1, 1);
        scores = scores.masked_fill(scores < smallest, kDropped);  // ties with the k-th stay
    }
    if (parameters_.top_p < 1.0) {
        const auto [sorted, order] = at::sort(scores, -1, /*descending=*/false);
        const at::Tensor cumulative = at::softmax(sorted, -1).cumsum(-1);
        at::Tensor drop = cumulative <= (1.0 - parameters_.top_p);
        drop.narrow(-1, drop.size(-1) - 1, 1).fill_(false);  // the largest always stays
        scores = scores.masked_fill(drop.scatter(1, order, drop), kDropped);
    }
    return scores;
}

at::Tensor Sampler::next(const at::Tensor& logits) {
    if (!parameters_.sample) {
        return logits.argmax(-1);
    }
    const at::Tensor probabilities = at::softmax(scores(logits), -1);
    return at::multinomial(probabilities, 1, /*replacement=*/false, generator_).squeeze(1);
}

}  // namespace earscope
