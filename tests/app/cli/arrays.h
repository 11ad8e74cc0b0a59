#pragma once
// Stored tensors as plain numbers, so that tests of the program need no torch.
#include "core/formats/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace earscope::testing {

/// A stored tensor, every element widened to double.
struct Array {
    std::vector<std::int64_t> shape;
    std::vector<double> values;

    std::size_t rows() const { return shape.empty() ? 0 : static_cast<std::size_t>(shape[0]); }
    double largest() const {
        double most = 0;
        for (const double value : values) {
            most = std::max(most, std::abs(value));
        }
        return most;
    }
};

using Arrays = std::map<std::string, Array>;

template <typename Element>
std::vector<double> widened(const TensorView& view) {
    std::vector<double> values(view.bytes / sizeof(Element));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Element element{};
        std::memcpy(&element, view.data + i * sizeof(Element), sizeof(Element));
        values[i] = static_cast<double>(element);
    }
    return values;
}

/// bfloat16 is the upper half of a float32.
inline std::vector<double> widened_bfloat16(const TensorView& view) {
    std::vector<double> values(view.bytes / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, view.data + 2 * i, 2);
        const std::uint32_t bits = std::uint32_t{half} << 16;
        float value = 0;
        std::memcpy(&value, &bits, 4);
        values[i] = static_cast<double>(value);
    }
    return values;
}

inline Array array_of(const TensorView& view) {
    switch (view.dtype) {
        case DType::F32:
            return {view.shape, widened<float>(view)};
        case DType::F64:
            return {view.shape, widened<double>(view)};
        case DType::I64:
            return {view.shape, widened<std::int64_t>(view)};
        case DType::I32:
            return {view.shape, widened<std::int32_t>(view)};
        case DType::BF16:
            return {view.shape, widened_bfloat16(view)};
        default:
            throw std::runtime_error(view.name + ": a dtype that no test needs");
    }
}

inline Arrays load_arrays(const std::filesystem::path& file) {
    const SafetensorsFile stored = SafetensorsFile::open(file);
    Arrays arrays;
    for (const auto& [name, view] : stored.tensors()) {
        arrays[name] = array_of(view);
    }
    return arrays;
}

}  // namespace earscope::testing
