#include "audio/playback/sound_stream.h"

#include "audio/playback/sound_format_io.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace earscope {
namespace {

constexpr int kSteps = 256;  // kernel rows per source sample; linear between them
constexpr int kZeroCrossings = 16;

double sinc(double x) {
    const double angle = std::numbers::pi * x;
    return std::abs(x) < 1e-9 ? 1.0 : std::sin(angle) / angle;
}

/// Blackman window over -1..1.
double window(double x) {
    if (std::abs(x) >= 1) {
        return 0;
    }
    const double angle = std::numbers::pi * x;
    return 0.42 + 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
}

}  // namespace

SoundStream::SoundStream(std::shared_ptr<const std::vector<float>> samples, std::int64_t sampleRate,
                         std::int64_t first, std::int64_t last, const QAudioFormat& format,
                         QObject* parent)
    : QIODevice(parent),
      samples_(std::move(samples)),
      sample_rate_(sampleRate),
      first_(first),
      last_(last),
      format_(format) {
    makeKernel();
    open(QIODevice::ReadOnly | QIODevice::Unbuffered);
}

void SoundStream::makeKernel() {
    // Above the lower of the two half rates nothing may be left.
    const double pass = std::min(1.0, format_.sampleRate() / static_cast<double>(sample_rate_));
    half_taps_ = static_cast<std::int64_t>(std::ceil(kZeroCrossings / pass));
    kernel_.resize(static_cast<std::size_t>((kSteps + 1) * 2 * half_taps_));
    auto weight = kernel_.begin();
    for (int step = 0; step <= kSteps; ++step) {
        const auto row = weight;
        double sum = 0;
        for (std::int64_t tap = 0; tap < 2 * half_taps_; ++tap) {
            const double distance =
                static_cast<double>(tap - half_taps_ + 1) - static_cast<double>(step) / kSteps;
            const double value =
                sinc(distance * pass) * window(distance / static_cast<double>(half_taps_));
            *weight++ = static_cast<float>(value);
            sum += value;
        }
        std::transform(row, weight, row,
                       [&](float value) { return static_cast<float>(value / sum); });
    }
}

float SoundStream::sampleAt(double position) const {
    const double whole = std::floor(position);
    const double step = (position - whole) * kSteps;
    const auto row = static_cast<std::size_t>(step);
    const auto between = static_cast<float>(step - static_cast<double>(row));
    const auto taps = static_cast<std::size_t>(2 * half_taps_);
    const float* weights = kernel_.data() + row * taps;
    const std::int64_t start = static_cast<std::int64_t>(whole) - half_taps_ + 1;
    const auto size = static_cast<std::int64_t>(samples_->size());
    float sum = 0;
    for (std::size_t tap = 0; tap < taps; ++tap) {
        const std::int64_t index = start + static_cast<std::int64_t>(tap);
        if (index < 0 || index >= size) {
            continue;
        }
        const float sample = (*samples_)[static_cast<std::size_t>(index)];
        const float weight = weights[tap] + between * (weights[tap + taps] - weights[tap]);
        sum += std::isfinite(sample) ? sample * weight : 0.0F;
    }
    return std::clamp(sum, -1.0F, 1.0F);
}

qint64 SoundStream::readData(char* data, qint64 size) {
    const int frameBytes = std::max(1, format_.bytesPerFrame());  // 0: no format was set
    const qint64 frames = size / frameBytes;
    const double ratio = static_cast<double>(sample_rate_) / format_.sampleRate();
    for (qint64 frame = 0; frame < frames; ++frame) {
        // From the count, not by adding up, so that the end of a long file is on time.
        const double position =
            static_cast<double>(first_) + static_cast<double>(frames_pulled_) * ratio;
        const float sample = position < static_cast<double>(last_) ? sampleAt(position) : 0.0F;
        writeFrame(data + frame * frameBytes, format_, sample);
        ++frames_pulled_;
    }
    return frames * frameBytes;
}

qint64 SoundStream::writeData(const char*, qint64) {
    return -1;
}

qint64 SoundStream::bytesAvailable() const {
    // Silence follows the end, so there is always a second to read.
    return qint64{format_.bytesPerFrame()} * format_.sampleRate();
}

double SoundStream::pulledSeconds() const {
    return static_cast<double>(frames_pulled_) / format_.sampleRate();
}

double SoundStream::totalSeconds() const {
    return static_cast<double>(last_ - first_) / static_cast<double>(sample_rate_);
}

}  // namespace earscope
