#pragma once
#include "core/models/model.h"

#include <ATen/core/Tensor.h>

namespace earscope {

/// Which key positions a query may see.
struct AttentionMask {
    bool causal = false;  ///< query i of n sees the first (keys - n + i + 1) keys
    at::Tensor allowed;   ///< bool, broadcastable to [B,1,queries,keys]; undefined: all (or causal)
};

/// softmax(scale q k^T) v with grouped heads.
///
/// @param query  [B,H,Q,Dh]
/// @param key    [B,G,K,Dh], H a multiple of G; query head h uses key head h / (H/G)
/// @param value  [B,G,K,Dh]
/// @return       [B,Q,H*Dh]
/// Reference: sdpa_attention_forward and eager_attention_forward of Transformers (softmax in
/// float32).
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionMask& mask, double scale, Attention kind);

}  // namespace earscope
