#pragma once
#include <span>

namespace earscope {

struct Level {
    double peak = 0;  ///< largest absolute sample
    double rms = 0;   ///< root of the mean square
};

/// Of samples of full scale 1; what is not a finite number counts as 0. {0,0} for none.
Level levelOf(std::span<const float> samples);

}  // namespace earscope
