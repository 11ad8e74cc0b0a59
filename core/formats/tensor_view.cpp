#include "core/formats/tensor_view.h"

#include <array>
#include <bit>

// Both formats store little-endian numbers and the mapped bytes are used as they are.
static_assert(std::endian::native == std::endian::little);

namespace earscope {
namespace {

struct Kind {
    DType dtype;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<Kind, 13> kKinds{{{DType::Bool, "BOOL", 1},
                                       {DType::U8, "U8", 1},
                                       {DType::I8, "I8", 1},
                                       {DType::I16, "I16", 2},
                                       {DType::U16, "U16", 2},
                                       {DType::F16, "F16", 2},
                                       {DType::BF16, "BF16", 2},
                                       {DType::I32, "I32", 4},
                                       {DType::U32, "U32", 4},
                                       {DType::F32, "F32", 4},
                                       {DType::I64, "I64", 8},
                                       {DType::U64, "U64", 8},
                                       {DType::F64, "F64", 8}}};

const Kind& kind(DType dtype) {
    return kKinds[static_cast<std::size_t>(dtype)];  // in the order of the enumerators
}

}  // namespace

std::size_t dtype_size(DType dtype) {
    return kind(dtype).size;
}

std::string_view dtype_name(DType dtype) {
    return kind(dtype).name;
}

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const Kind& candidate : kKinds) {
        if (candidate.name == name) {
            return candidate.dtype;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> tensor_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
    // Zeros are left out of the product, so that [0, 2^62, 2^62] is an overflow in any order.
    std::size_t product = dtype_size(dtype);
    bool empty = false;
    for (const std::int64_t length : shape) {
        if (length < 0 ||
            (length > 0 &&
             __builtin_mul_overflow(product, static_cast<std::size_t>(length), &product))) {
            return std::nullopt;
        }
        empty = empty || length == 0;
    }
    if (product > static_cast<std::size_t>(INT64_MAX)) {
        return std::nullopt;
    }
    return empty ? 0 : product;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (const std::int64_t length : shape) {
        text += (text.size() > 1 ? "," : "") + std::to_string(length);
    }
    return text + "]";
}

}  // namespace earscope
