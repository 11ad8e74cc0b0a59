#pragma once
#include <ATen/core/Tensor.h>

#include <span>

namespace earscope {

inline constexpr std::int64_t kMelBins = 128;
inline constexpr std::int64_t kHopSamples = 160;  ///< 10 ms at 16 kHz
inline constexpr std::int64_t kFftSize = 400;

/// Slaney-scale, Slaney-normalised triangular filters over 0..8000 Hz. @return float64 [201,128]
at::Tensor mel_filters();

/// Log-mel of one zero-padded 30 s window, as the torch path of Transformers'
/// WhisperFeatureExtractor computes it (Music Flamingo). Frames that only see padding are filled
/// in, not computed.
///
/// @param samples  1..480,000 samples at 16 kHz
/// @return         float32 [128,3000]; finite unless the samples overflow float32 powers
at::Tensor log_mel_window(std::span<const float> samples);

/// Valid frames of a window: ceil(samples / 160), at most 3000.
std::int64_t valid_frames(std::int64_t samples);

/// Log-mel of a whole source, as the NumPy path computes it (MOSS-Music): float64 but for the
/// spectrum, which is rounded to complex64.
///
/// @param samples  at least 160 samples at 16 kHz
/// @return         float32 [128, samples/160]
/// @throws AudioError  fewer than 160 samples: there is no frame
at::Tensor log_mel_source(std::span<const float> samples);

/// All 30 s windows of a source. @return float32 [W,128,3000]
at::Tensor log_mel_windows(std::span<const float> samples);

}  // namespace earscope
