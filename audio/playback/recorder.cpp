#include "audio/playback/recorder.h"

#include "audio/playback/level_meter.h"
#include "audio/playback/sound_format_io.h"

#include <QAudioDevice>
#include <QAudioSource>
#include <QMediaDevices>
#include <QTimer>

#include <algorithm>
#include <span>
#include <utility>

namespace earscope {
namespace {

constexpr int kLevelsPerSecond = 20;
constexpr int kSilentMs = 3000;

QAudioDevice findInput(const QByteArray& id) {
    if (id.isEmpty()) {
        return QMediaDevices::defaultAudioInput();
    }
    const QList<QAudioDevice> inputs = QMediaDevices::audioInputs();
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const QAudioDevice& input) { return input.id() == id; });
    return found == inputs.end() ? QAudioDevice() : *found;
}

/// Mono float at the device's rate where the device can, else what it prefers.
QAudioFormat recordingFormat(const QAudioDevice& device) {
    QAudioFormat format = device.preferredFormat();
    format.setChannelCount(1);
    format.setSampleFormat(QAudioFormat::Float);
    return device.isFormatSupported(format) ? format : device.preferredFormat();
}

}  // namespace

Recorder::Recorder(QObject* parent)
    : QObject(parent), devices_(new QMediaDevices(this)), watchdog_(new QTimer(this)) {
    watchdog_->setSingleShot(true);
    watchdog_->setInterval(kSilentMs);
    connect(watchdog_, &QTimer::timeout, this, [this] {
        fail(
            tr("No sound has arrived from the microphone for some seconds. Check the device and "
               "record again."));
    });
    connect(devices_, &QMediaDevices::audioInputsChanged, this, &Recorder::onDevicesChanged);
}

Recorder::~Recorder() {
    close();
}

QList<RecordingDevice> Recorder::devices() const {
    QList<RecordingDevice> list;
    // Asked for by itself: QAudioDevice::isDefault() misses a default that was named later.
    const QByteArray standard = QMediaDevices::defaultAudioInput().id();
    const QList<QAudioDevice> inputs = QMediaDevices::audioInputs();
    for (const QAudioDevice& input : inputs) {
        list.append({input.id(), input.description(), input.id() == standard});
    }
    std::stable_partition(list.begin(), list.end(),
                          [](const RecordingDevice& device) { return device.isDefault; });
    return list;
}

QString Recorder::unavailableReason() const {
    if (QMediaDevices::audioInputs().isEmpty()) {
        return tr(
            "No microphone was found. Connect one, and check that PulseAudio or PipeWire is "
            "running.");
    }
    return {};
}

void Recorder::start(const QByteArray& deviceId) {
    cancel();
    const QAudioDevice device = findInput(deviceId);
    if (device.isNull()) {
        const QString reason = unavailableReason();
        Q_EMIT failed(reason.isEmpty() ? tr("The chosen microphone is no longer there. Choose "
                                            "another one.")
                                       : reason);
        return;
    }
    device_id_ = device.id();
    format_ = recordingFormat(device);
    waveform_ = {{}, format_.sampleRate()};
    partial_.clear();
    reported_ = 0;
    // Without a parent, as Player's sink; close() deletes it.
    source_ = new QAudioSource(device, format_);
    connect(source_, &QAudioSource::stateChanged, this, &Recorder::onStateChanged);
    arriving_ = source_->start();
    if (source_ == nullptr) {
        return;  // onStateChanged has said why
    }
    if (arriving_ == nullptr) {
        fail(tr("The microphone could not be opened. Check whether another program holds it."));
        return;
    }
    connect(arriving_, &QIODevice::readyRead, this, &Recorder::readArrived);
    watchdog_->start();
    Q_EMIT recordingChanged(true);
}

void Recorder::stop() {
    if (!isRecording()) {
        return;
    }
    takeArrived();
    close();
    Q_EMIT recordingChanged(false);
    const Waveform heard = std::exchange(waveform_, {});
    if (heard.samples.empty()) {
        Q_EMIT failed(tr("Nothing was recorded: no sound arrived from the microphone."));
    } else {
        Q_EMIT finished(heard);
    }
}

void Recorder::cancel() {
    if (isRecording()) {
        close();
        waveform_ = {};
        Q_EMIT recordingChanged(false);
    }
}

void Recorder::close() {
    watchdog_->stop();
    if (source_ != nullptr) {
        // Often called from one of the source's own signals, so it is deleted later.
        source_->disconnect(this);
        if (arriving_ != nullptr) {
            arriving_->disconnect(this);
        }
        source_->stop();
        source_->deleteLater();
        source_ = nullptr;
        arriving_ = nullptr;
    }
}

/// Stops with a message and still hands over what had arrived.
void Recorder::fail(const QString& message) {
    close();
    Q_EMIT recordingChanged(false);
    const Waveform heard = std::exchange(waveform_, {});
    Q_EMIT failed(message);
    if (!heard.samples.empty()) {
        Q_EMIT finished(heard);
    }
}

double Recorder::elapsedSeconds() const {
    return waveform_.sample_rate > 0 ? static_cast<double>(waveform_.samples.size()) /
                                           static_cast<double>(waveform_.sample_rate)
                                     : 0;
}

void Recorder::takeArrived() {
    if (arriving_ == nullptr) {
        return;
    }
    partial_ += arriving_->readAll();
    const qsizetype frame_bytes = std::max(1, format_.bytesPerFrame());  // 0: no format was set
    const qsizetype frames = partial_.size() / frame_bytes;
    appendFrames(waveform_.samples, partial_.constData(), frames, format_);
    partial_.remove(0, frames * frame_bytes);
}

void Recorder::readArrived() {
    takeArrived();
    watchdog_->start();
    reportLevel();
    if (isRecording() && elapsedSeconds() >= kMaxSeconds) {
        stop();
    }
}

void Recorder::reportLevel() {
    const auto arrived = waveform_.samples.size() - reported_;
    if (arrived < static_cast<std::size_t>(format_.sampleRate() / kLevelsPerSecond)) {
        return;
    }
    const Level level = levelOf(std::span<const float>(waveform_.samples).subspan(reported_));
    reported_ = waveform_.samples.size();
    Q_EMIT levelChanged(level.peak, level.rms);
    Q_EMIT elapsedChanged(elapsedSeconds());
}

void Recorder::onStateChanged() {
    if (source_ != nullptr && source_->error() != QAudio::NoError &&
        source_->error() != QAudio::UnderrunError) {
        fail(
            tr("The microphone could not be opened or has failed. Check whether another program "
               "holds it."));
    }
}

void Recorder::onDevicesChanged() {
    if (isRecording() && findInput(device_id_).isNull()) {
        fail(tr("The microphone was removed. What was recorded until then is kept."));
    }
    Q_EMIT devicesChanged();
}

}  // namespace earscope
