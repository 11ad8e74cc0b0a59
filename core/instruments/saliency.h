#pragma once
#include "core/instruments/edits.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// Mel value of silence in both families: the floor that the log-mel is clamped to.
inline constexpr double kSilentMel = -1.5;

struct SaliencyMethod {
    enum class Kind { Gradient, GradientTimesInput, Integrated };
    Kind kind = Kind::Gradient;
    std::int64_t steps = 0;  ///< integrated only
};
/// "gradient", "gradient_x_input", "integrated:STEPS".
/// @throws RequestError  names the three
SaliencyMethod parse_saliency_method(std::string_view text);
std::string saliency_method_text(const SaliencyMethod& method);

struct SaliencyOptions {
    std::int64_t token = 0;  ///< index of the generated token
    SaliencyMethod method;
    GenerateOptions generate;  ///< how the answer comes about, and the stop token
    /// Called when the answer is there and has the token, before the passes begin.
    std::function<void()> before_passes = {};
};

struct SaliencyResult {
    GenerateResult answer;  ///< no longer than up to the token
    std::int64_t id = 0;    ///< of the token
    double logprob = 0;
    std::optional<double> logprob_silence;  ///< integrated only
    at::Tensor mel;                         ///< float32 in the shape of the mel, CPU
    double sum = 0;
    std::vector<double> share;  ///< per source, of the sum of absolute values
};

/// Derivative of the log-probability of one generated token, given the answer before it, with
/// respect to the mel. Integrated gradients go from the mel of silence to the mel in midpoints: the
/// mean of the gradients at (k + 1/2) / steps of the way, times the way; `sum` nears
/// logprob - logprob_silence slowly. One forward and one backward per step.
///
/// @throws RequestError  more than one request, no audio, a token that the answer does not have,
/// edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
SaliencyResult saliency(Session& session, const PreparedBatch& batch,
                        const SaliencyOptions& options, std::span<const Edit> edits = {});

/// What saliency() says before it runs anything.
/// @throws RequestError  more than one request, no audio
void check_saliency_request(const PreparedBatch& batch);

/// Forward and backward passes that a method takes.
std::int64_t saliency_passes(const SaliencyMethod& method);

}  // namespace earscope
