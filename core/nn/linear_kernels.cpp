#include "core/nn/linear_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <array>
#include <cstring>

namespace earscope {
namespace {

constexpr std::int64_t kMaxRows = 8;           // above, a blocked GEMM wins
constexpr std::int64_t kMinWeights = 1 << 14;  // below, starting threads costs more than it saves

#if defined(__x86_64__)

bool cpu_has_avx512() {
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    return has;
}

__attribute__((target("avx512f,avx512bw"))) inline __m512 load16(const float* from) {
    return _mm512_loadu_ps(from);
}

__attribute__((target("avx512f,avx512bw"))) inline __m512 load16(const c10::BFloat16* from) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

/// sums[r] = x[r] . w for R rows; the weights are loaded once.
template <int R, typename Weight>
__attribute__((target("avx512f,avx512bw"))) void dot_rows(const float* x, const Weight* w,
                                                          std::int64_t width, float* sums) {
    __m512 even[R];
    __m512 odd[R];
    for (int r = 0; r < R; ++r) {
        even[r] = _mm512_setzero_ps();
        odd[r] = _mm512_setzero_ps();
    }
    std::int64_t i = 0;
    for (; i + 32 <= width; i += 32) {
        const __m512 first = load16(w + i);
        const __m512 second = load16(w + i + 16);
        for (int r = 0; r < R; ++r) {
            even[r] = _mm512_fmadd_ps(first, _mm512_loadu_ps(x + r * width + i), even[r]);
            odd[r] = _mm512_fmadd_ps(second, _mm512_loadu_ps(x + r * width + i + 16), odd[r]);
        }
    }
    for (int r = 0; r < R; ++r) {
        float sum = _mm512_reduce_add_ps(_mm512_add_ps(even[r], odd[r]));
        for (std::int64_t j = i; j < width; ++j) {
            sum += x[r * width + j] * static_cast<float>(w[j]);
        }
        sums[r] = sum;
    }
}

template <typename Weight>
using DotRows = void (*)(const float*, const Weight*, std::int64_t, float*);

template <typename Weight>
DotRows<Weight> dot_for(std::int64_t rows) {
    static constexpr std::array<DotRows<Weight>, kMaxRows> kByRows = {
        dot_rows<1, Weight>, dot_rows<2, Weight>, dot_rows<3, Weight>, dot_rows<4, Weight>,
        dot_rows<5, Weight>, dot_rows<6, Weight>, dot_rows<7, Weight>, dot_rows<8, Weight>};
    return kByRows[static_cast<std::size_t>(rows - 1)];
}

template <typename Weight>
at::Tensor few_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const std::int64_t width = weight.size(1);
    const std::int64_t outputs = weight.size(0);
    const at::Tensor wide = x.to(at::kFloat).reshape({-1, width}).contiguous();
    const std::int64_t rows = wide.size(0);
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = outputs;
    at::Tensor result = at::empty(shape, x.options());

    const float* inputs = wide.const_data_ptr<float>();
    const Weight* weights = weight.const_data_ptr<Weight>();
    const Weight* offsets = bias.defined() ? bias.const_data_ptr<Weight>() : nullptr;
    Weight* out = result.mutable_data_ptr<Weight>();
    const DotRows<Weight> dot = dot_for<Weight>(rows);
    const std::int64_t grain = std::max<std::int64_t>(1, kMinWeights / width);
    at::parallel_for(0, outputs, grain, [&](std::int64_t begin, std::int64_t end) {
        std::array<float, kMaxRows> sums{};
        for (std::int64_t o = begin; o < end; ++o) {
            dot(inputs, weights + o * width, width, sums.data());
            const float offset = offsets != nullptr ? static_cast<float>(offsets[o]) : 0.0F;
            for (std::int64_t r = 0; r < rows; ++r) {
                out[r * outputs + o] =
                    static_cast<Weight>(sums[static_cast<std::size_t>(r)] + offset);
            }
        }
    });
    return result;
}

bool few_rows_apply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const bool gradient =
        c10::GradMode::is_enabled() &&
        (x.requires_grad() || weight.requires_grad() || (bias.defined() && bias.requires_grad()));
    return !gradient && weight.is_cpu() && weight.is_contiguous() && cpu_has_avx512() &&
           x.scalar_type() == weight.scalar_type() && weight.numel() >= kMinWeights &&
           x.numel() <= kMaxRows * weight.size(1) && x.numel() > 0;
}

#endif

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
#if defined(__x86_64__)
    if (few_rows_apply(x, weight, bias)) {
        if (weight.scalar_type() == at::kFloat) {
            return few_rows<float>(x, weight, bias);
        }
        if (weight.scalar_type() == at::kBFloat16) {
            return few_rows<c10::BFloat16>(x, weight, bias);
        }
    }
#endif
    return at::linear(x, weight, bias);
}

}  // namespace earscope
