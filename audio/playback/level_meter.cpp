#include "audio/playback/level_meter.h"

#include <algorithm>
#include <cmath>

namespace earscope {

Level levelOf(std::span<const float> samples) {
    Level level;
    double squares = 0;
    for (const float sample : samples) {
        const double value = std::isfinite(sample) ? static_cast<double>(sample) : 0.0;
        level.peak = std::max(level.peak, std::abs(value));
        squares += value * value;
    }
    if (!samples.empty()) {
        level.rms = std::sqrt(squares / static_cast<double>(samples.size()));
    }
    return level;
}

}  // namespace earscope
