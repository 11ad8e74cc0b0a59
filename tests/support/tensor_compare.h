#pragma once
// Helpers that hold tensors against golden ones and say where they differ most.
#include "core/formats/safetensors.h"

#include <ATen/ATen.h>
#include <QTest>

#include <string>

namespace earscope::testing {

inline at::ScalarType scalar_type_of(DType dtype) {
    switch (dtype) {
        case DType::F64:
            return at::kDouble;
        case DType::F16:
            return at::kHalf;
        case DType::BF16:
            return at::kBFloat16;
        case DType::I64:
            return at::kLong;
        case DType::I32:
            return at::kInt;
        case DType::Bool:
            return at::kBool;
        default:
            return at::kFloat;
    }
}

/// A copy of a stored tensor.
inline at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
    const TensorView& view = file.tensors().at(name);
    return at::from_blob(const_cast<std::byte*>(view.data), view.shape,
                         at::TensorOptions(scalar_type_of(view.dtype)))
        .clone();
}

/// The largest absolute difference, infinity where a value is not finite; fails on another shape.
inline double largest_difference(const at::Tensor& got, const at::Tensor& want) {
    if (got.sizes() != want.sizes()) {
        return std::numeric_limits<double>::infinity();
    }
    if (want.numel() == 0) {
        return 0;
    }
    const at::Tensor off = (got.to(at::kDouble) - want.to(at::kDouble)).abs();
    const double worst = off.max().item<double>();
    return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

/// True when `got` is within `allowed` of `want` everywhere; otherwise prints the worst place.
inline bool close(const std::string& name, const at::Tensor& got, const at::Tensor& want,
                  double allowed) {
    const double worst = largest_difference(got, want);
    if (worst <= allowed) {
        return true;
    }
    std::ostringstream text;
    text << name << ": off by " << worst << ", allowed " << allowed << ", shapes " << got.sizes()
         << " and " << want.sizes();
    if (got.sizes() == want.sizes()) {
        const std::int64_t at =
            (got.to(at::kDouble) - want.to(at::kDouble)).abs().argmax().item<std::int64_t>();
        text << ", flat index " << at << ": got " << got.reshape(-1)[at].item<double>()
             << ", expected " << want.reshape(-1)[at].item<double>();
    }
    qWarning("%s", text.str().c_str());
    return false;
}

/// 1e-4 of the reference's largest magnitude: the project's float32 bound.
inline bool close_relative(const std::string& name, const at::Tensor& got, const at::Tensor& want,
                           double relative = 1e-4) {
    return close(name, got, want, relative * want.abs().max().item<double>());
}

}  // namespace earscope::testing
