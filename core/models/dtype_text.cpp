#include "core/models/dtype_text.h"

namespace earscope {

std::string_view dtype_text(at::ScalarType dtype) {
    switch (dtype) {
        case at::kFloat:
            return "float32";
        case at::kBFloat16:
            return "bfloat16";
        case at::kHalf:
            return "float16";
        case at::kDouble:
            return "float64";
        case at::kLong:
            return "int64";
        case at::kInt:
            return "int32";
        default:
            return c10::toString(dtype);
    }
}

}  // namespace earscope
