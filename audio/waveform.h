#pragma once
#include <cstdint>
#include <vector>

namespace earscope {

/// Mono samples of nominal range -1..1 (values beyond it are kept) and their rate in Hz.
struct Waveform {
    std::vector<float> samples;
    std::int64_t sample_rate = 0;
};

}  // namespace earscope
