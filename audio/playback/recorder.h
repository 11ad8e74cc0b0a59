#pragma once
#include "audio/waveform.h"

#include <QAudioFormat>
#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>

class QAudioSource;
class QIODevice;
class QMediaDevices;
class QTimer;

namespace earscope {

/// An input the user can choose. `id` is what Recorder::start takes; `name` is for people.
struct RecordingDevice {
    QByteArray id;
    QString name;
    bool isDefault = false;
};

/// Records mono float32 from a microphone at the device's own rate. Lives on the GUI thread and
/// never waits.
class Recorder : public QObject {
    Q_OBJECT
public:
    /// A recording ends by itself after this many seconds, as if stop() was called.
    static constexpr double kMaxSeconds = 3600;

    explicit Recorder(QObject* parent = nullptr);
    ~Recorder() override;

    /// The default device stands first.
    QList<RecordingDevice> devices() const;
    bool isAvailable() const { return unavailableReason().isEmpty(); }
    /// Empty when there is something to record from, else a translated sentence that says why not.
    QString unavailableReason() const;

    /// Starts recording; an empty id is the default device. What was being recorded is dropped.
    /// Emits `failed` when the device cannot be opened.
    void start(const QByteArray& deviceId = {});
    /// Ends the recording: `finished` carries what was heard, or `failed` says that nothing was.
    void stop();
    /// Ends the recording and drops it; neither `finished` nor `failed` follows.
    void cancel();
    bool isRecording() const { return source_ != nullptr; }
    double elapsedSeconds() const;

Q_SIGNALS:
    void devicesChanged();
    void recordingChanged(bool recording);
    /// About 20 a second while recording: largest and root-mean-square sample since the last one,
    /// linear, full scale 1.
    void levelChanged(double peak, double rms);
    /// With each levelChanged, from the samples that arrived.
    void elapsedChanged(double seconds);
    void finished(const earscope::Waveform& waveform);
    /// A whole, translated sentence; recording has stopped. When the device failed in
    /// mid-recording, `finished` follows with what had arrived.
    void failed(const QString& message);

private:
    void readArrived();
    void reportLevel();
    void takeArrived();
    void fail(const QString& message);
    void onStateChanged();
    void onDevicesChanged();
    void close();

    Waveform waveform_;
    QAudioFormat format_;
    QByteArray device_id_;
    QMediaDevices* devices_;
    QTimer* watchdog_;
    QAudioSource* source_ = nullptr;
    QIODevice* arriving_ = nullptr;  ///< owned by source_
    QByteArray partial_;             ///< bytes of a frame that has not arrived whole
    std::size_t reported_ = 0;       ///< samples that levelChanged has covered
};

}  // namespace earscope
