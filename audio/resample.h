#pragma once
#include "core/base/progress.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earscope {

/// The rate both models hear, in Hz.
inline constexpr std::int64_t kModelSampleRate = 16'000;

/// Polyphase resampling with zero phase, as scipy.signal.resample_poly(x, up, down) with its
/// default filter (Kaiser 5.0, half length 10*max(up,down)), up/down being the rates reduced by
/// their greatest common divisor.
///
/// @param samples  mono, at `from_rate` Hz
/// @return         ceil(n*up/down) samples at `to_rate` Hz; a copy when the rates are equal
/// @throws AudioError  a rate outside kMinSampleRate..kMaxSampleRate
/// @throws Cancelled
std::vector<float> resample_poly(std::span<const float> samples, std::int64_t from_rate,
                                 std::int64_t to_rate = kModelSampleRate, std::stop_token stop = {},
                                 const ProgressCallback& progress = {});

}  // namespace earscope
