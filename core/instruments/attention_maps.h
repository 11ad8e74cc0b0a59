#pragma once
#include "core/instruments/edits.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace earscope {

/// Positions first <= p < end of the padded row.
struct PositionSpan {
    std::int64_t first = 0;
    std::int64_t end = 0;
};
/// "P0:P1".
/// @throws RequestError  says what is expected
PositionSpan parse_span(std::string_view text);

/// Positions of the prompt whose rows can be asked for at once.
inline constexpr std::int64_t kMostRows = 256;

struct AttentionOptions {
    std::vector<std::int64_t> layers;  ///< decoder layers 0..N-1
    std::vector<std::int64_t> heads;   ///< query heads in this order; empty: all
    GenerateOptions generate;          ///< how the answer comes about, and the stop token
    std::optional<PositionSpan> rows = std::nullopt;  ///< also these positions of the prompt
    bool answer = true;  ///< false: nothing is generated, and only `rows` are computed
};

struct AttentionResult {
    GenerateResult answer;                ///< empty without an answer, as the two below
    at::Tensor generated_ids;             ///< int64 [B,G], padding behind the end of an answer
    std::vector<at::Tensor> weights;      ///< of each layer asked for: float32 [B,H,G,L+G-1], CPU
    std::vector<at::Tensor> row_weights;  ///< of each layer: float32 [B,H,P1-P0,L]; with `rows`
};

/// What each generated token looked at: the answer is generated, then one clean pass over prompt
/// and answer gives queries and keys, after head norms and rotary positions, whatever kind of
/// attention the session runs with. For token g the query is the position it was chosen from,
/// L-1+g; only these rows are computed. Exactly zero at padding, after the query and in the rows
/// behind the end of an answer (its stop token has a row). The same pass gives the rows of a span
/// of the prompt, whose queries stand at these positions; rows of padding are exactly zero.
///
/// @throws RequestError  a layer or head that the model does not have, rows that the prompt does
/// not have or more than kMostRows of them, edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
AttentionResult attention_maps(Session& session, const PreparedBatch& batch,
                               const AttentionOptions& options, std::span<const Edit> edits = {});

/// The columns of one source. @param weights  [B,H,R,K]  @return [H,R,U_a]
at::Tensor attention_to_source(const at::Tensor& weights, const AudioSlot& slot);

}  // namespace earscope
