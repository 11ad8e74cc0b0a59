#pragma once
#include "core/instruments/edits.h"
#include "core/instruments/positions.h"
#include "core/instruments/top_choices.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

struct LensOptions {
    std::vector<std::int64_t> layers;  ///< hidden states 0..N (N: after the final norm)
    Positions positions = Positions::Audio;
    std::int64_t top_k = 5;
};

struct LensResult {
    at::Tensor positions;             ///< int64 [n,2]: row, position in the padded row
    std::vector<TopChoices> choices;  ///< of each layer asked for, [n,k] on the CPU
};

/// Logit lens: what the model would say at a position if a hidden state were its last. Final norm
/// (not for layer N, which has it) and output head on each chosen state, in the model's dtype, then
/// log-softmax in float32. The edits are in force below, not in norm and head. Runs no further than
/// the last layer needed and keeps nothing but the choices.
///
/// @throws RequestError  a layer or top_k that the model does not have, edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
LensResult logit_lens(Session& session, const PreparedBatch& batch, const LensOptions& options,
                      std::span<const Edit> edits = {}, const CallOptions& call = {});

}  // namespace earscope
