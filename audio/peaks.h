#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

struct Peak {
    float min = 0;
    float max = 0;
};

/// Smallest and largest sample per block, at several block sizes, so that drawing any part of a
/// long signal costs O(width) and never loses a lone impulse. NaN samples count as 0.
class PeakPyramid {
public:
    static constexpr std::int64_t kBase = 64;   ///< samples per block of the finest level
    static constexpr std::int64_t kFactor = 4;  ///< blocks merged from level to level

    PeakPyramid() = default;
    explicit PeakPyramid(std::span<const float> samples);

    std::int64_t sample_count() const { return sample_count_; }

    /// Peaks of `columns` equal slices of samples [begin, end). A slice may be shorter than one
    /// sample; then it shows the sample it lies in. Slices outside the signal give {0,0}. `samples`
    /// must be those the pyramid was made from.
    std::vector<Peak> columns(std::span<const float> samples, double begin, double end,
                              int columns) const;

private:
    std::int64_t sample_count_ = 0;
    std::vector<std::vector<Peak>> levels_;
};

}  // namespace earscope
