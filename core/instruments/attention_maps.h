#pragma once
#include "core/instruments/edits.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

struct AttentionOptions {
    std::vector<std::int64_t> layers;  ///< decoder layers 0..N-1
    std::vector<std::int64_t> heads;   ///< query heads in this order; empty: all
    GenerateOptions generate;          ///< how the answer comes about, and the stop token
};

struct AttentionResult {
    GenerateResult answer;
    at::Tensor generated_ids;         ///< int64 [B,G], padding behind the end of an answer
    std::vector<at::Tensor> weights;  ///< of each layer asked for: float32 [B,H,G,L+G-1], CPU
};

/// What each generated token looked at: the answer is generated, then one clean pass over prompt
/// and answer gives queries and keys, after head norms and rotary positions, whatever kind of
/// attention the session runs with. For token g the query is the position it was chosen from,
/// L-1+g; only these rows are computed. Exactly zero at padding, after the query and in the rows
/// behind the end of an answer (its stop token has a row).
///
/// @throws RequestError  a layer or head that the model does not have, edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
AttentionResult attention_maps(Session& session, const PreparedBatch& batch,
                               const AttentionOptions& options, std::span<const Edit> edits = {});

/// The columns of one source. @param weights  [B,H,G,K]  @return [H,G,U_a]
at::Tensor attention_to_source(const at::Tensor& weights, const AudioSlot& slot);

/// Bytes of the result for answers of `new_tokens`.
std::int64_t attention_bytes(const PreparedBatch& batch, std::int64_t layers, std::int64_t heads,
                             std::int64_t new_tokens);

}  // namespace earscope
