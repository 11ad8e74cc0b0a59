#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// Element types of safetensors that Earscope reads and writes.
enum class DType { Bool, U8, I8, I16, U16, F16, BF16, I32, U32, F32, I64, U64, F64 };

std::size_t dtype_size(DType dtype);
std::string_view dtype_name(DType dtype);  ///< as safetensors spells it: "F32", "BF16", ...

/// A named array that somebody else owns: little endian, row-major, contiguous.
struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
};

}  // namespace earscope
