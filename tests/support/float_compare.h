#pragma once
#include <QString>

#include <algorithm>
#include <cmath>
#include <span>

namespace earscope::test {

struct Difference {
    double largest = 0;  ///< infinite where only one side is a finite number, or lengths differ
    std::size_t at = 0;
};

/// Largest absolute difference; equal infinities and two NaN count as equal.
inline Difference largestDifference(std::span<const float> got, std::span<const float> wanted) {
    if (got.size() != wanted.size()) {
        return {INFINITY, std::min(got.size(), wanted.size())};
    }
    Difference worst;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double a = static_cast<double>(got[i]);
        const double b = static_cast<double>(wanted[i]);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        const double difference = same ? 0 : std::abs(a - b);
        if (!(difference <= worst.largest)) {
            worst = {std::isnan(difference) ? static_cast<double>(INFINITY) : difference, i};
        }
    }
    return worst;
}

/// Empty when every element is within `bound`, else a line with the worst one.
inline QString floatMismatch(std::span<const float> got, std::span<const float> wanted,
                             double bound) {
    const Difference worst = largestDifference(got, wanted);
    if (worst.largest <= bound) {
        return {};
    }
    if (got.size() != wanted.size()) {
        return QStringLiteral("%1 values, wanted %2").arg(got.size()).arg(wanted.size());
    }
    return QStringLiteral("at %1: got %2, wanted %3, difference %4, bound %5")
        .arg(worst.at)
        .arg(static_cast<double>(got[worst.at]), 0, 'g', 9)
        .arg(static_cast<double>(wanted[worst.at]), 0, 'g', 9)
        .arg(worst.largest)
        .arg(bound);
}

}  // namespace earscope::test
