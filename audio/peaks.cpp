#include "audio/peaks.h"

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

/// Widens `peak` by samples; NaN counts as 0.
void widen(Peak& peak, std::span<const float> samples) {
    for (const float sample : samples) {
        const float value = std::isnan(sample) ? 0.0F : sample;
        peak.min = std::min(peak.min, value);
        peak.max = std::max(peak.max, value);
    }
}

void widen(Peak& peak, std::span<const Peak> blocks) {
    for (const Peak& block : blocks) {
        peak.min = std::min(peak.min, block.min);
        peak.max = std::max(peak.max, block.max);
    }
}

template <typename Element>
std::span<const Element> part(std::span<const Element> all, std::int64_t first, std::int64_t last) {
    return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

/// An empty range: anything widens it.
constexpr Peak kNothing{INFINITY, -INFINITY};

/// One level above `below`: `factor` elements per block, the last block may be shorter.
template <typename Element>
std::vector<Peak> reduce(std::span<const Element> below, std::int64_t factor) {
    const auto size = static_cast<std::int64_t>(below.size());
    std::vector<Peak> level;
    level.reserve(static_cast<std::size_t>((size + factor - 1) / factor));
    for (std::int64_t first = 0; first < size; first += factor) {
        Peak peak = kNothing;
        widen(peak, part(below, first, std::min(first + factor, size)));
        level.push_back(peak);
    }
    return level;
}

/// Samples [first, last) from whole blocks where they fit and from the level below at both ends.
Peak range_peak(std::span<const float> samples, const std::vector<std::vector<Peak>>& levels,
                std::int64_t first, std::int64_t last) {
    Peak peak = kNothing;
    // Ends of the range that no whole block covers, level by level upwards; what is left in the
    // middle is handed to the next level.
    std::int64_t inner_first = (first + PeakPyramid::kBase - 1) / PeakPyramid::kBase;
    std::int64_t inner_last = last / PeakPyramid::kBase;
    if (inner_first >= inner_last) {
        widen(peak, part(samples, first, last));
        return peak;
    }
    widen(peak, part(samples, first, inner_first * PeakPyramid::kBase));
    widen(peak, part(samples, inner_last * PeakPyramid::kBase, last));
    for (std::size_t level = 0;; ++level) {
        const std::span<const Peak> blocks = levels[level];
        const std::int64_t next_first =
            (inner_first + PeakPyramid::kFactor - 1) / PeakPyramid::kFactor;
        const std::int64_t next_last = inner_last / PeakPyramid::kFactor;
        if (level + 1 >= levels.size() || next_first >= next_last) {
            widen(peak, part(blocks, inner_first, inner_last));
            return peak;
        }
        widen(peak, part(blocks, inner_first, next_first * PeakPyramid::kFactor));
        widen(peak, part(blocks, next_last * PeakPyramid::kFactor, inner_last));
        inner_first = next_first;
        inner_last = next_last;
    }
}

}  // namespace

PeakPyramid::PeakPyramid(std::span<const float> samples)
    : sample_count_(static_cast<std::int64_t>(samples.size())) {
    if (samples.empty()) {
        return;
    }
    levels_.push_back(reduce(samples, kBase));
    while (levels_.back().size() > 1) {
        levels_.push_back(reduce(std::span<const Peak>(levels_.back()), kFactor));
    }
}

std::vector<Peak> PeakPyramid::columns(std::span<const float> samples, double begin, double end,
                                       int columns) const {
    std::vector<Peak> peaks(static_cast<std::size_t>(std::max(columns, 0)));
    if (!(end > begin) || sample_count_ == 0) {
        return peaks;
    }
    const auto limit = static_cast<double>(sample_count_);
    // Sample s fills [s, s+1); a column shows every sample it touches, so a sample at a border is
    // in both columns and in none missing.
    double left = begin;
    for (int column = 0; column < columns; ++column) {
        const double right = begin + (end - begin) * (column + 1) / columns;
        if (right > 0 && left < limit) {
            const auto first = static_cast<std::int64_t>(std::max(std::floor(left), 0.0));
            const auto touched = static_cast<std::int64_t>(std::min(std::ceil(right), limit));
            peaks[static_cast<std::size_t>(column)] =
                range_peak(samples, levels_, first, std::max(touched, first + 1));
        }
        left = right;
    }
    return peaks;
}

}  // namespace earscope
