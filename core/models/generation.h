#pragma once
#include "core/session.h"

namespace earscope {

/// min(max_new_tokens, context - prompt width).
/// @throws RequestError  no room at all; names width, budget and limit
std::int64_t generation_budget(std::int64_t prompt_width, std::int64_t max_new_tokens,
                               std::int64_t context);

/// Prefill, then one token per row and step until every row has ended or the budget is used.
GenerateResult run_generation(Model& model, const Processor& processor, const PreparedBatch& batch,
                              const SamplingParameters& parameters, const GenerateOptions& options);

}  // namespace earscope
