#pragma once
#include <c10/core/ScalarType.h>

#include <string_view>

namespace earscope {

/// An element type as PyTorch spells it: "float32", "bfloat16", "int64".
std::string_view dtype_text(at::ScalarType dtype);

}  // namespace earscope
