#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace earscope {

/// The most likely tokens of each row, most likely first; ties go to the lower id.
struct TopChoices {
    at::Tensor ids;       ///< int64 [n,k]
    at::Tensor logprobs;  ///< float32 [n,k]
};

/// @param logits  [n,V], any floating type; log-softmax in float32
/// @param k       1..V
/// @return        on the device of `logits`
TopChoices top_choices(const at::Tensor& logits, std::int64_t k);

/// The highest values of each row, highest first; equal ones by rising index.
/// @param values  [n,V]
/// @return        int64 [n,k]
at::Tensor top_indices(const at::Tensor& values, std::int64_t k);

/// @throws RequestError  k is not in 1..vocabulary
void check_top_k(std::int64_t k, std::int64_t vocabulary);

}  // namespace earscope
