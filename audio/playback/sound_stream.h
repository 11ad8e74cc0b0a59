#pragma once
#include <QAudioFormat>
#include <QIODevice>

#include <cstdint>
#include <memory>
#include <vector>

namespace earscope {

/// What a sound device pulls: a part of a mono signal, converted to the device's rate by a windowed
/// sinc, limited to -1..1, on every channel; silence after the end. Samples that are not finite
/// numbers sound as 0.
class SoundStream : public QIODevice {
    Q_OBJECT
public:
    /// @param first,last  samples [first, last) of the signal, inside of it
    SoundStream(std::shared_ptr<const std::vector<float>> samples, std::int64_t sampleRate,
                std::int64_t first, std::int64_t last, const QAudioFormat& format,
                QObject* parent = nullptr);

    /// Seconds of sound pulled so far, the silence behind the end included.
    double pulledSeconds() const;
    /// Length of the part.
    double totalSeconds() const;

    bool isSequential() const override { return true; }
    qint64 bytesAvailable() const override;

protected:
    qint64 readData(char* data, qint64 size) override;
    qint64 writeData(const char* data, qint64 size) override;

private:
    float sampleAt(double position) const;
    void makeKernel();

    std::shared_ptr<const std::vector<float>> samples_;
    std::int64_t sample_rate_;
    std::int64_t first_;
    std::int64_t last_;
    QAudioFormat format_;
    std::int64_t frames_pulled_ = 0;
    std::int64_t half_taps_ = 0;
    std::vector<float> kernel_;  ///< kSteps + 1 rows of 2*half_taps_ weights
};

}  // namespace earscope
