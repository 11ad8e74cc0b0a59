#pragma once
#include <ATen/core/Tensor.h>

namespace earscope {

/// x W^T + b, as at::linear. For few rows on the CPU (decoding) it streams the weights once over
/// all threads with float32 accumulation: torch's own one-row product uses one core in float32 and
/// half the memory bandwidth in bfloat16.
///
/// @param x       [...,in]
/// @param weight  [out,in]
/// @param bias    [out] or undefined
/// @return        [...,out] in the type of x
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace earscope
