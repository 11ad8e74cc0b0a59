#include "core/instruments/statistics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

/// Numbers that are widened to float64 at once: 32 MiB.
constexpr std::int64_t kChunk = std::int64_t{1} << 22;

Statistics of_chunk(const at::Tensor& values) {
    Statistics one;
    const at::Tensor wide = values.to(at::kDouble);
    one.nan_count = wide.isnan().sum().item<std::int64_t>();
    one.infinity_count = wide.isinf().sum().item<std::int64_t>();
    const bool clean = one.nan_count == 0 && one.infinity_count == 0;
    const at::Tensor finite = clean ? wide : wide.masked_select(wide.isfinite());
    one.count = finite.numel();
    if (one.count == 0) {
        return one;
    }
    const at::Tensor mean = finite.mean();
    const at::Tensor off = finite - mean;
    const at::Tensor square = off.square();
    // One copy from the device instead of seven.
    const at::Tensor figures =
        at::stack({mean, finite.min(), finite.max(), finite.square().sum(), square.sum(),
                   (square * off).sum(), square.square().sum()})
            .cpu();
    const double* const figure = figures.const_data_ptr<double>();
    one.mean = figure[0];
    one.minimum = figure[1];
    one.maximum = figure[2];
    one.square_sum = figure[3];
    one.m2 = figure[4];
    one.m3 = figure[5];
    one.m4 = figure[6];
    return one;
}

}  // namespace

double Statistics::norm() const {
    return std::sqrt(square_sum);
}

double Statistics::kurtosis() const {
    return m2 > 0 ? m4 * static_cast<double>(count) / (m2 * m2) : 0;
}

void Statistics::merge(const Statistics& other) {
    nan_count += other.nan_count;
    infinity_count += other.infinity_count;
    if (other.count == 0) {
        return;
    }
    const auto a = static_cast<double>(count);
    const auto b = static_cast<double>(other.count);
    const double n = a + b;
    const double d = other.mean - mean;
    m4 += other.m4 + d * d * d * d * a * b * (a * a - a * b + b * b) / (n * n * n) +
          6 * d * d * (a * a * other.m2 + b * b * m2) / (n * n) +
          4 * d * (a * other.m3 - b * m3) / n;
    m3 += other.m3 + d * d * d * a * b * (a - b) / (n * n) + 3 * d * (a * other.m2 - b * m2) / n;
    m2 += other.m2 + d * d * a * b / n;
    mean += d * b / n;
    minimum = count == 0 ? other.minimum : std::min(minimum, other.minimum);
    maximum = count == 0 ? other.maximum : std::max(maximum, other.maximum);
    square_sum += other.square_sum;
    count += other.count;
}

void Statistics::add(const at::Tensor& values) {
    const at::Tensor flat = values.detach().reshape({-1});
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kChunk) {
        merge(of_chunk(flat.narrow(0, begin, std::min(kChunk, flat.numel() - begin))));
    }
    ++calls;
}

}  // namespace earscope
