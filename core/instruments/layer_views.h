#pragma once
#include "core/instruments/edits.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

/// One figure of every hidden state at every position, and some states whole.
struct LayerViews {
    at::Tensor norm;                 ///< float32 [N+1,B,L], Euclidean, CPU
    at::Tensor cosine_to_before;     ///< float32 [N+1,B,L]; layer 0 all 1; 0 where one is zero
    std::vector<at::Tensor> states;  ///< of each layer asked for: [B,L,D], model's dtype, CPU
};

/// One pass over the prompt. Of the states no more than two are held at a time beside those asked
/// for. At padded positions the figures carry no meaning.
///
/// @param layers  hidden states 0..N to keep whole
/// @throws RequestError  a layer that the model does not have, edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
LayerViews layer_views(Session& session, const PreparedBatch& batch,
                       const std::vector<std::int64_t>& layers, std::span<const Edit> edits = {},
                       const CallOptions& call = {});

}  // namespace earscope
