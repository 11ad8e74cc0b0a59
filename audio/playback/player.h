#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

class QAudioSink;
class QMediaDevices;
class QTimer;

namespace earscope {

class SoundStream;

/// Plays a part of a mono signal through the default output device. Lives on the GUI thread and
/// never waits: the sound system pulls samples, which are converted to the device's rate on the
/// way and limited to -1..1. The signal itself is shared, read-only and never altered.
class Player : public QObject {
    Q_OBJECT
public:
    explicit Player(QObject* parent = nullptr);
    ~Player() override;

    bool isAvailable() const { return unavailableReason().isEmpty(); }
    /// Empty when sound can be played, else a translated sentence that says why not.
    QString unavailableReason() const;

    /// The signal that play() plays from now on; what is playing stops.
    void setSignal(std::shared_ptr<const std::vector<float>> mono, std::int64_t sampleRate);
    /// Plays [startSeconds, endSeconds); an end below 0 is the signal's end. Both are clipped to
    /// the signal; what was playing stops first. Emits `failed` when there is nothing to play it.
    void play(double startSeconds = 0, double endSeconds = -1);
    void stop();
    bool isPlaying() const { return sink_ != nullptr; }
    /// What is heard now, in seconds of the signal; after the end, where it stopped.
    double positionSeconds() const { return position_; }

Q_SIGNALS:
    /// About 30 a second while playing, in seconds of the signal.
    void positionChanged(double seconds);
    void playingChanged(bool playing);
    /// The end was reached (not after stop() or a failure).
    void finished();
    /// A whole, translated sentence; playing has stopped.
    void failed(const QString& message);
    /// An output device came or went: ask unavailableReason() again.
    void availabilityChanged();

private:
    void tick();
    double heardSeconds();
    void fail(const QString& message);
    void onStateChanged();
    void onDevicesChanged();
    void close();

    std::shared_ptr<const std::vector<float>> samples_;
    std::int64_t sample_rate_ = 0;
    QMediaDevices* devices_;
    QTimer* timer_;
    SoundStream* stream_ = nullptr;
    QAudioSink* sink_ = nullptr;
    QElapsedTimer clock_;     ///< since the last tick
    QElapsedTimer progress_;  ///< since the device last took sound
    double last_pulled_ = 0;  ///< what stream_ had given then
    double start_ = 0;        ///< of the part, in seconds of the signal
    double heard_ = 0;        ///< seconds of the part, smoothed
    double position_ = 0;
};

}  // namespace earscope
