#include "audio/playback/player.h"

#include "audio/playback/sound_stream.h"

#include <QAudioDevice>
#include <QAudioSink>
#include <QMediaDevices>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr int kTickMs = 33;
constexpr double kBufferSeconds = 0.25;  // outlasts a busy moment of the GUI thread
constexpr qint64 kStalledMs = 3000;

}  // namespace

Player::Player(QObject* parent)
    : QObject(parent), devices_(new QMediaDevices(this)), timer_(new QTimer(this)) {
    timer_->setInterval(kTickMs);
    timer_->setTimerType(Qt::PreciseTimer);
    connect(timer_, &QTimer::timeout, this, &Player::tick);
    connect(devices_, &QMediaDevices::audioOutputsChanged, this, &Player::onDevicesChanged);
}

Player::~Player() {
    close();
}

QString Player::unavailableReason() const {
    if (QMediaDevices::defaultAudioOutput().isNull()) {
        return tr(
            "No sound output was found. Connect a loudspeaker or headphones, and check that "
            "PulseAudio or PipeWire is running.");
    }
    return {};
}

void Player::setSignal(std::shared_ptr<const std::vector<float>> mono, std::int64_t sampleRate) {
    stop();
    samples_ = std::move(mono);
    sample_rate_ = sampleRate;
}

void Player::play(double startSeconds, double endSeconds) {
    stop();
    if (const QString reason = unavailableReason(); !reason.isEmpty()) {
        fail(reason);
        return;
    }
    const auto size = samples_ ? static_cast<std::int64_t>(samples_->size()) : 0;
    const auto index = [&](double seconds) {
        const double sample = std::round(seconds * static_cast<double>(sample_rate_));
        return static_cast<std::int64_t>(std::clamp(sample, 0.0, static_cast<double>(size)));
    };
    const std::int64_t first = index(startSeconds);
    const std::int64_t last = endSeconds < 0 ? size : index(endSeconds);
    if (sample_rate_ <= 0 || first >= last) {
        fail(tr("There is nothing to play there."));
        return;
    }
    const QAudioDevice device = QMediaDevices::defaultAudioOutput();
    const QAudioFormat format = device.preferredFormat();
    start_ = static_cast<double>(first) / static_cast<double>(sample_rate_);
    position_ = start_;
    heard_ = 0;
    last_pulled_ = 0;
    // Without a parent: Qt 6.4 hands its own inner object to that parent as well, and deleting the
    // parent then deletes it twice. close() deletes the sink.
    sink_ = new QAudioSink(device, format);
    // The sink's child, so that it lives for as long as the sink may pull.
    stream_ = new SoundStream(samples_, sample_rate_, first, last, format, sink_);
    sink_->setBufferSize(format.bytesForDuration(static_cast<qint64>(kBufferSeconds * 1e6)));
    connect(sink_, &QAudioSink::stateChanged, this, &Player::onStateChanged);
    clock_.start();
    progress_.start();
    timer_->start();
    sink_->start(stream_);
    if (sink_ != nullptr) {  // a failed start has been handled by onStateChanged
        Q_EMIT playingChanged(true);
    }
}

void Player::stop() {
    if (sink_ != nullptr) {
        close();
        Q_EMIT playingChanged(false);
    }
}

void Player::close() {
    timer_->stop();
    if (sink_ != nullptr) {
        // Often called from one of the sink's own signals, so it is deleted later.
        sink_->disconnect(this);
        sink_->reset();
        sink_->deleteLater();
        sink_ = nullptr;
        stream_ = nullptr;
    }
}

void Player::fail(const QString& message) {
    stop();
    Q_EMIT failed(message);
}

/// What was pulled, less what waits in the buffer. The device takes sound in large steps, so time
/// is carried on by the clock and only drawn towards that number.
double Player::heardSeconds() {
    const qsizetype waiting = std::max<qsizetype>(sink_->bufferSize() - sink_->bytesFree(), 0);
    const double queued = static_cast<double>(waiting) / sink_->format().bytesPerFrame() /
                          sink_->format().sampleRate();
    const double measured = std::max(stream_->pulledSeconds() - queued, 0.0);
    const double elapsed = static_cast<double>(clock_.nsecsElapsed()) / 1e9;
    clock_.start();
    if (heard_ == 0 && measured == 0) {
        return 0;  // nothing has left the buffer yet
    }
    constexpr double kJump = 0.3;
    constexpr double kDraw = 0.1;
    const double predicted = heard_ + elapsed;
    const double error = measured - predicted;
    const double next = std::abs(error) > kJump ? measured : predicted + kDraw * error;
    return std::max(next, heard_);
}

void Player::tick() {
    if (stream_->pulledSeconds() > last_pulled_) {
        last_pulled_ = stream_->pulledSeconds();
        progress_.start();
    } else if (progress_.elapsed() > kStalledMs) {
        fail(tr("The sound output has stopped taking sound. Check the device and play again."));
        return;
    }
    heard_ = std::min(heardSeconds(), stream_->totalSeconds());
    position_ = start_ + heard_;
    const bool ended = heard_ >= stream_->totalSeconds();
    Q_EMIT positionChanged(position_);
    if (ended && sink_ != nullptr) {  // a receiver may have stopped it
        stop();
        Q_EMIT finished();
    }
}

void Player::onStateChanged() {
    if (sink_ != nullptr && sink_->error() != QAudio::NoError &&
        sink_->error() != QAudio::UnderrunError) {
        fail(
            tr("The sound output could not be opened or has failed. Check the device and play "
               "again."));
    }
}

void Player::onDevicesChanged() {
    if (isPlaying() && !isAvailable()) {
        fail(tr("The sound output was removed. Connect it and play again."));
    }
    Q_EMIT availabilityChanged();
}

}  // namespace earscope
