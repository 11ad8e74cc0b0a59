#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// Element types of safetensors that Earscope reads and writes.
enum class DType { Bool, U8, I8, I16, U16, F16, BF16, I32, U32, F32, I64, U64, F64 };

std::size_t dtype_size(DType dtype);
std::string_view dtype_name(DType dtype);  ///< as safetensors spells it: "F32", "BF16", ...
std::optional<DType> dtype_from_name(std::string_view name);

/// Bytes of a contiguous tensor, or nothing where a length is negative or the product overflows.
std::optional<std::size_t> tensor_bytes(DType dtype, const std::vector<std::int64_t>& shape);
std::string shape_text(const std::vector<std::int64_t>& shape);  ///< "[2,3]", for messages

/// Limits of both formats, for reading and writing.
inline constexpr std::size_t kMaxTensorRank = 8;
inline constexpr std::size_t kMaxTensorCount = 100'000;
inline constexpr std::size_t kMaxTensorNameBytes = 1024;

/// A named array that somebody else owns: little endian, row-major, contiguous.
struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
};

}  // namespace earscope
