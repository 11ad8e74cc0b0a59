#pragma once
#include "core/instruments/edits.h"
#include "core/session.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

struct TokenChoice {
    std::int64_t id = 0;
    double logprob = 0;
};

/// One generated token and what could have stood there.
struct TokenAlternatives {
    std::int64_t id = 0;
    double logprob = 0;
    double entropy = 0;            ///< nats, of the distribution before temperature and cuts
    std::vector<TokenChoice> top;  ///< most likely first
};

struct AlternativesResult {
    GenerateResult answer;
    std::vector<std::vector<TokenAlternatives>> tokens;  ///< B, one entry per generated token
};

/// Generates and keeps the alternatives of every token; with `generate.replace` the answer goes on
/// from another choice.
///
/// @throws RequestError  a top_k the model does not have, edits as EditSet, a replacement as
/// Session::generate
/// @throws DeviceError, Cancelled  as the session's calls
AlternativesResult token_alternatives(Session& session, const PreparedBatch& batch,
                                      std::int64_t top_k, GenerateOptions generate,
                                      std::span<const Edit> edits = {});

}  // namespace earscope
