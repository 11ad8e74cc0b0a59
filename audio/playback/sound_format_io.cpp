#include "audio/playback/sound_format_io.h"

#include <cmath>
#include <cstring>

namespace earscope {
namespace {

constexpr float kScale8 = 128;
constexpr float kScale16 = 32768;
constexpr double kScale32 = 2147483648.0;

template <typename Integer>
Integer quantised(double value, double scale) {
    return static_cast<Integer>(std::lround(std::fmin(value * scale, scale - 1)));
}

template <typename Value>
void put(char* to, Value value) {
    std::memcpy(to, &value, sizeof value);
}

template <typename Value>
Value get(const char* from) {
    Value value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

void writeSample(char* to, QAudioFormat::SampleFormat format, float sample) {
    switch (format) {
        case QAudioFormat::UInt8:
            put(to, static_cast<quint8>(quantised<int>(sample, kScale8) + 128));
            break;
        case QAudioFormat::Int16:
            put(to, quantised<qint16>(sample, kScale16));
            break;
        case QAudioFormat::Int32:
            put(to, quantised<qint32>(sample, kScale32));
            break;
        default:
            put(to, sample);
    }
}

float readSample(const char* from, QAudioFormat::SampleFormat format) {
    switch (format) {
        case QAudioFormat::UInt8:
            return (static_cast<float>(get<quint8>(from)) - kScale8) / kScale8;
        case QAudioFormat::Int16:
            return static_cast<float>(get<qint16>(from)) / kScale16;
        case QAudioFormat::Int32:
            return static_cast<float>(get<qint32>(from) / kScale32);
        default:
            return get<float>(from);
    }
}

}  // namespace

void writeFrame(char* frame, const QAudioFormat& format, float sample) {
    const int width = format.bytesPerSample();
    for (int channel = 0; channel < format.channelCount(); ++channel) {
        writeSample(frame + channel * width, format.sampleFormat(), sample);
    }
}

void appendFrames(std::vector<float>& mono, const char* bytes, qsizetype frames,
                  const QAudioFormat& format) {
    const int width = format.bytesPerSample();
    const int channels = format.channelCount();
    for (qsizetype frame = 0; frame < frames; ++frame) {
        float sum = 0;
        for (int channel = 0; channel < channels; ++channel) {
            sum += readSample(bytes, format.sampleFormat());
            bytes += width;
        }
        mono.push_back(sum / static_cast<float>(channels));
    }
}

}  // namespace earscope
