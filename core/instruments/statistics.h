#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace earscope {

/// Figures of numbers that are not kept: filled call by call, in float64 (updates of the moments
/// after Chan, Golub and LeVeque). NaN and infinity are counted and left out of the rest.
struct Statistics {
    std::int64_t count = 0;  ///< finite numbers
    double mean = 0;
    double minimum = 0;
    double maximum = 0;
    double square_sum = 0;
    std::int64_t nan_count = 0;
    std::int64_t infinity_count = 0;
    std::int64_t calls = 0;
    double m2 = 0;  ///< sums of the powers of the distance from the mean
    double m3 = 0;
    double m4 = 0;

    double norm() const;      ///< Euclidean, over all
    double kurtosis() const;  ///< m4 count / m2^2: 3 for a normal distribution; 0 without spread
    /// Takes the numbers of one call.
    void add(const at::Tensor& values);

private:
    void merge(const Statistics& other);
};

}  // namespace earscope
