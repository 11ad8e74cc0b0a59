#include "core/nn/attention.h"

#include <ATen/ATen.h>

#include <limits>

namespace earscope {
namespace {

at::Tensor repeat_heads(const at::Tensor& x, std::int64_t times) {
    if (times == 1) {
        return x;
    }
    const auto s = x.sizes();  // [B,G,K,Dh]
    return x.unsqueeze(2)
        .expand({s[0], s[1], times, s[2], s[3]})
        .reshape({s[0], s[1] * times, s[2], s[3]});
}

at::Tensor eager(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 const AttentionMask& mask, double scale) {
    at::Tensor scores = at::matmul(query, key.transpose(2, 3)) * scale;  // [B,H,Q,K]
    at::Tensor allowed = mask.allowed;
    if (mask.causal) {
        allowed = at::ones({query.size(2), key.size(2)}, query.options().dtype(at::kBool))
                      .tril(key.size(2) - query.size(2));
    }
    if (allowed.defined()) {
        scores =
            scores.masked_fill(allowed.logical_not(), -std::numeric_limits<double>::infinity());
    }
    const at::Tensor weights = at::softmax(scores, -1, at::kFloat).to(query.scalar_type());
    return at::matmul(weights, value);
}

}  // namespace

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionMask& mask, double scale, Attention kind) {
    const std::int64_t groups = query.size(1) / key.size(1);
    const std::int64_t batch = query.size(0);
    const std::int64_t queries = query.size(2);
    at::Tensor out;
    if (queries == 1 && groups > 1) {
        // One query: the heads of a group become rows, so that keys and values are not copied.
        const at::Tensor packed = query.reshape({batch, key.size(1), groups, query.size(3)});
        const AttentionMask rest{false, mask.allowed};
        out = kind == Attention::Eager
                  ? eager(packed, key, value, rest, scale)
                  : at::scaled_dot_product_attention(packed, key, value,
                                                     mask.allowed.defined()
                                                         ? std::optional<at::Tensor>(mask.allowed)
                                                         : std::nullopt,
                                                     0.0, false, scale);
        out = out.reshape({batch, query.size(1), 1, query.size(3)});
    } else {
        const at::Tensor keys = repeat_heads(key, groups);
        const at::Tensor values = repeat_heads(value, groups);
        if (kind == Attention::Eager) {
            out = eager(query, keys, values, mask, scale);
        } else {
            // is_causal counts from the first key, which is right only where queries and keys are
            // the same.
            const bool causal = mask.causal && queries > 1;
            out = at::scaled_dot_product_attention(
                query, keys, values,
                mask.allowed.defined() ? std::optional<at::Tensor>(mask.allowed) : std::nullopt,
                0.0, causal, scale);
        }
    }
    return out.transpose(1, 2).reshape({batch, queries, -1});  // [B,Q,H*Dh]
}

}  // namespace earscope
