#include "core/features/log_mel.h"

#include "core/base/errors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace earscope {
namespace {

constexpr std::int64_t kBins = kFftSize / 2 + 1;  // 201, 40 Hz apart
constexpr std::int64_t kPadding = kFftSize / 2;
constexpr std::int64_t kWindowSamples = 480'000;
constexpr std::int64_t kWindowFrames = kWindowSamples / kHopSamples;

double slaney_mel_to_hz(double mel) {
    const double log_step = std::log(6.4) / 27.0;
    return mel < 15.0 ? 200.0 * mel / 3.0 : 1000.0 * std::exp((mel - 15.0) * log_step);
}

double hz_to_slaney_mel(double hz) {
    return hz < 1000.0 ? 3.0 * hz / 200.0 : 15.0 + 27.0 * std::log(hz / 1000.0) / std::log(6.4);
}

using FilterBank = std::array<std::array<double, kMelBins>, kBins>;

FilterBank make_filters() {
    std::array<double, kMelBins + 2> corners{};
    const double top = hz_to_slaney_mel(8000.0);
    for (std::size_t i = 0; i < corners.size(); ++i) {
        corners[i] =
            slaney_mel_to_hz(top * static_cast<double>(i) / static_cast<double>(kMelBins + 1));
    }
    FilterBank filters{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(kBins); ++k) {
        const double hz = 40.0 * static_cast<double>(k);
        for (std::size_t j = 0; j < static_cast<std::size_t>(kMelBins); ++j) {
            const double rising = (hz - corners[j]) / (corners[j + 1] - corners[j]);
            const double falling = (corners[j + 2] - hz) / (corners[j + 2] - corners[j + 1]);
            filters[k][j] =
                std::max(0.0, std::min(rising, falling)) * 2.0 / (corners[j + 2] - corners[j]);
        }
    }
    return filters;
}

const FilterBank& filters() {
    static const FilterBank kFilters = make_filters();
    return kFilters;
}

/// Each mel band is non-zero over a short run of bins.
template <typename Real>
struct Band {
    std::int64_t first = 0;
    std::vector<Real> weights;
};

template <typename Real>
std::vector<Band<Real>> make_bands() {
    std::vector<Band<Real>> bands(static_cast<std::size_t>(kMelBins));
    for (std::size_t j = 0; j < bands.size(); ++j) {
        for (std::int64_t k = 0; k < kBins; ++k) {
            const auto weight = static_cast<Real>(filters()[static_cast<std::size_t>(k)][j]);
            if (weight != Real(0)) {
                if (bands[j].weights.empty()) {
                    bands[j].first = k;
                }
                bands[j].weights.resize(static_cast<std::size_t>(k - bands[j].first));
                bands[j].weights.push_back(weight);
            }
        }
    }
    return bands;
}

/// Index i of a signal of n samples, folded back at both ends without repeating the edge.
std::int64_t reflect(std::int64_t i, std::int64_t n) {
    if (n == 1) {
        return 0;
    }
    const std::int64_t period = 2 * (n - 1);
    const std::int64_t folded = ((i % period) + period) % period;
    return folded < n ? folded : period - folded;
}

/// Samples [-200, count-200) of a signal of `length` samples, of which those beyond `samples` are
/// zero.
at::Tensor padded_signal(std::span<const float> samples, std::int64_t length, std::int64_t count) {
    at::Tensor out = at::zeros({count}, at::kFloat);
    float* data = out.mutable_data_ptr<float>();
    const auto real = static_cast<std::int64_t>(samples.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = i - kPadding;
        if (at >= 0 && at < real) {  // the bulk, in one go
            const std::int64_t run = std::min(real - at, count - i);
            std::memcpy(data + i, samples.data() + at,
                        static_cast<std::size_t>(run) * sizeof(float));
            i += run - 1;
            continue;
        }
        const std::int64_t source = reflect(at, length);
        data[i] = source < real ? samples[static_cast<std::size_t>(source)] : 0.0F;
    }
    return out;
}

/// Power spectrum to mel bands. spectrum [T,201] complex64 -> [128,T]
template <typename Real>
at::Tensor mel_power(const at::Tensor& spectrum) {
    static const std::vector<Band<Real>> kBands = make_bands<Real>();
    const std::int64_t frames = spectrum.size(0);
    at::Tensor out = at::empty({kMelBins, frames}, c10::CppTypeToScalarType<Real>::value);
    const auto* values = spectrum.const_data_ptr<c10::complex<float>>();
    Real* result = out.mutable_data_ptr<Real>();
    std::array<Real, kBins> power{};
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::size_t k = 0; k < power.size(); ++k) {
            const c10::complex<float> v = values[t * kBins + static_cast<std::int64_t>(k)];
            power[k] = Real(v.real()) * Real(v.real()) + Real(v.imag()) * Real(v.imag());
        }
        for (std::size_t j = 0; j < kBands.size(); ++j) {
            Real sum = 0;
            const Real* bin = power.data() + kBands[j].first;
            for (const Real weight : kBands[j].weights) {
                sum += weight * *bin++;
            }
            result[static_cast<std::int64_t>(j) * frames + t] = sum;
        }
    }
    return out;
}

/// Frames of 400 every 160 samples, windowed and transformed. signal [n] -> complex [T,201]
at::Tensor spectrum_of(const at::Tensor& signal, std::int64_t frames, const at::Tensor& window) {
    const at::Tensor cut = signal.as_strided({frames, kFftSize}, {kHopSamples, 1});
    return at::fft_rfft(cut * window);
}

}  // namespace

at::Tensor mel_filters() {
    at::Tensor out = at::empty({kBins, kMelBins}, at::kDouble);
    std::memcpy(out.mutable_data_ptr<double>(), filters().data(), sizeof(FilterBank));
    return out;
}

std::int64_t valid_frames(std::int64_t samples) {
    return std::min(kWindowFrames, (samples + kHopSamples - 1) / kHopSamples);
}

at::Tensor log_mel_window(std::span<const float> samples) {
    static const at::Tensor kWindow = at::hann_window(kFftSize, at::kFloat);
    const auto count = static_cast<std::int64_t>(samples.size());
    // Frames from here on lie wholly in the padding, where the power is 0.
    const std::int64_t frames = std::min(kWindowFrames, (count + kPadding - 1) / kHopSamples + 1);
    const at::Tensor signal =
        padded_signal(samples, kWindowSamples, kHopSamples * (frames - 1) + kFftSize);
    at::Tensor mel =
        mel_power<float>(spectrum_of(signal, frames, kWindow)).clamp_min_(1e-10F).log10_();
    const at::Tensor floor = mel.max() - 8.0;
    at::Tensor out = at::full({kMelBins, kWindowFrames}, -10.0F, at::kFloat);  // log10(1e-10)
    out.narrow(1, 0, frames).copy_(mel);
    return at::maximum(out, floor).add_(4.0F).div_(4.0F);
}

at::Tensor log_mel_windows(std::span<const float> samples) {
    const auto count = static_cast<std::int64_t>(samples.size());
    const std::int64_t windows = (count + kWindowSamples - 1) / kWindowSamples;
    at::Tensor out = at::empty({windows, kMelBins, kWindowFrames}, at::kFloat);
    for (std::int64_t w = 0; w < windows; ++w) {
        const std::int64_t begin = w * kWindowSamples;
        const auto part =
            samples.subspan(static_cast<std::size_t>(begin),
                            static_cast<std::size_t>(std::min(kWindowSamples, count - begin)));
        out.select(0, w).copy_(log_mel_window(part));
    }
    return out;
}

at::Tensor log_mel_source(std::span<const float> samples) {
    static const at::Tensor kWindow = at::hann_window(kFftSize, at::kDouble);
    const auto count = static_cast<std::int64_t>(samples.size());
    const std::int64_t frames = count / kHopSamples;
    if (frames < 1) {
        throw AudioError(
            "a source of " + std::to_string(count) +
            " samples at 16 kHz has no mel frame; MOSS-Music needs at least 160 samples");
    }
    const at::Tensor signal = padded_signal(samples, count, kHopSamples * (frames - 1) + kFftSize);
    const at::Tensor spectrum =
        spectrum_of(signal.to(at::kDouble), frames, kWindow).to(at::kComplexFloat);
    const at::Tensor mel = mel_power<double>(spectrum).clamp_min_(1e-10).log10_().to(at::kFloat);
    return at::maximum(mel, mel.max() - 8.0).add_(4.0F).div_(4.0F);
}

}  // namespace earscope
