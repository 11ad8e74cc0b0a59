#include "core/instruments/alternatives.h"

#include "core/instruments/top_choices.h"

#include <ATen/ATen.h>

namespace earscope {

namespace {

/// What one step of all rows came to.
class Step {
public:
    Step(const at::Tensor& logits, const at::Tensor& chosen, std::int64_t top_k) : top_k_(top_k) {
        const at::Tensor logprobs = at::log_softmax(logits, -1, at::kFloat);  // [B,V]
        top_ids_ = top_indices(logits, top_k).cpu().contiguous();
        top_logprobs_ = logprobs.gather(1, top_ids_.to(logits.device())).cpu().contiguous();
        chosen_ = logprobs.gather(1, chosen.unsqueeze(1)).cpu();
        // x log x is 0 at 0, also where the logarithm is -infinity.
        const at::Tensor terms = at::special_entr(logprobs.exp());
        entropy_ = terms.sum(-1).cpu();
    }

    TokenAlternatives of(std::int64_t row, std::int64_t id) const {
        TokenAlternatives token{id,
                                static_cast<double>(chosen_.const_data_ptr<float>()[row]),
                                static_cast<double>(entropy_.const_data_ptr<float>()[row]),
                                {}};
        for (std::int64_t k = row * top_k_; k < (row + 1) * top_k_; ++k) {
            token.top.push_back({top_ids_.const_data_ptr<std::int64_t>()[k],
                                 static_cast<double>(top_logprobs_.const_data_ptr<float>()[k])});
        }
        return token;
    }

private:
    std::int64_t top_k_;
    at::Tensor top_ids_;
    at::Tensor top_logprobs_;
    at::Tensor chosen_;
    at::Tensor entropy_;
};

}  // namespace

AlternativesResult token_alternatives(Session& session, const PreparedBatch& batch,
                                      std::int64_t top_k, GenerateOptions generate,
                                      std::span<const Edit> edits) {
    check_top_k(top_k, session.model().vocab_size());
    const EditSet in_force(session.model(), edits, batch);
    std::vector<Step> steps;
    generate.on_logits = [&](const at::Tensor& logits, const at::Tensor& chosen) {
        steps.emplace_back(logits, chosen, top_k);
    };
    AlternativesResult result;
    result.answer = session.generate(batch, generate);
    for (std::size_t b = 0; b < result.answer.ids.size(); ++b) {
        std::vector<TokenAlternatives> row;
        for (std::size_t g = 0; g < result.answer.ids[b].size(); ++g) {
            row.push_back(steps[g].of(static_cast<std::int64_t>(b), result.answer.ids[b][g]));
        }
        result.tokens.push_back(std::move(row));
    }
    return result;
}

}  // namespace earscope
