#pragma once
#include "core/instruments/saliency.h"

#include <cstdint>

namespace earscope {

/// What one pass of saliency takes here: measured, or carried on from the part that was run.
struct PassCost {
    double forward_seconds = 0;
    double seconds = 0;         ///< forward and backward
    std::int64_t bytes = 0;     ///< of what the backward pass needs, beside the weights
    double measured = 1;        ///< share of the forward pass that was run
    bool backward_ran = false;  ///< otherwise its time is taken for that of the forward pass
};

/// Runs one forward pass with gradients over the prompt, and the backward pass behind it, with the
/// clock and the allocator watched. When `budget_seconds` or `budget_bytes` are used up it ends at
/// the next window, chunk group or layer, and the rest is carried on from there.
///
/// @throws RequestError  what saliency() refuses before it runs: more than one request, no audio
/// @throws DeviceError, Cancelled  as the session's calls
PassCost measure_pass(Session& session, const PreparedBatch& batch, double budget_seconds = 2,
                      std::int64_t budget_bytes = std::int64_t{1} << 30,
                      const CallOptions& options = {});

struct SaliencyCost {
    std::int64_t passes = 0;
    double seconds = 0;      ///< without the answer before it
    std::int64_t bytes = 0;  ///< beside the weights
};
SaliencyCost saliency_cost(const PassCost& pass, const SaliencyMethod& method);

}  // namespace earscope
