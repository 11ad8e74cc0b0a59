#include "widgets/sources/record_bar.h"

#include "audio/playback/recorder.h"
#include "audio/wav_file.h"
#include "widgets/plot/theme.h"
#include "widgets/signal/time_axis.h"
#include "widgets/sources/glyphs.h"
#include "widgets/sources/level_meter.h"

#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QThread>
#include <QVBoxLayout>

#include <exception>
#include <filesystem>

namespace earscope {

namespace {

/// A name that says when, and that no file has yet.
QString newRecordingPath(const QString& folder) {
    const QString stem = QStringLiteral("recording ") + QDateTime::currentDateTime().toString(
                                                            QStringLiteral("yyyy-MM-dd HH-mm-ss"));
    QString path = QDir(folder).filePath(stem + QStringLiteral(".wav"));
    for (int i = 2; QFileInfo::exists(path); ++i) {
        path = QDir(folder).filePath(QStringLiteral("%1 (%2).wav").arg(stem).arg(i));
    }
    return path;
}

}  // namespace

QString recordingsFolder() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation))
        .filePath(QStringLiteral("earscope/recordings"));
}

/// What one writing thread has to do and what came of it.
struct RecordBar::Writing {
    Waveform waveform;
    QString path;
    QString error;
};

RecordBar::RecordBar(QWidget* parent) : QWidget(parent), folder_(recordingsFolder()) {
    setObjectName(QStringLiteral("recordBar"));
    setAccessibleName(tr("Recording"));
    build();
    showState();
}

RecordBar::~RecordBar() {
    if (writer_ != nullptr) {
        writer_->wait();  // what was recorded is not lost by closing the window
    }
}

void RecordBar::build() {
    devices_ = new QComboBox(this);
    devices_->setObjectName(QStringLiteral("recordDevice"));
    devices_->setAccessibleName(tr("Input device"));
    devices_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    devices_->setMinimumContentsLength(12);
    button_ = new QPushButton(this);
    button_->setObjectName(QStringLiteral("recordStartStop"));
    elapsed_ = new QLabel(this);
    elapsed_->setObjectName(QStringLiteral("recordElapsed"));
    elapsed_->setAccessibleName(tr("Elapsed time"));
    meter_ = new LevelMeter(this);
    state_ = new QLabel(this);
    state_->setObjectName(QStringLiteral("recordState"));
    state_->setTextFormat(Qt::PlainText);
    state_->setWordWrap(true);
    retry_ = new QPushButton(tr("Save again"), this);
    retry_->setObjectName(QStringLiteral("recordRetry"));
    retry_->hide();

    auto* line = new QHBoxLayout;
    line->addWidget(button_);
    line->addWidget(elapsed_);
    line->addWidget(meter_, 1);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 4, 0, 0);
    all->setSpacing(4);
    all->addWidget(devices_);
    all->addLayout(line);
    all->addWidget(state_);
    all->addWidget(retry_);
    connect(button_, &QPushButton::clicked, this, [this] { isRecording() ? stop() : start(); });
    connect(retry_, &QPushButton::clicked, this, &RecordBar::write);
}

void RecordBar::connectRecorder() {
    connect(recorder_.get(), &Recorder::devicesChanged, this, &RecordBar::refreshDevices);
    connect(recorder_.get(), &Recorder::levelChanged, meter_, &LevelMeter::setLevel);
    connect(recorder_.get(), &Recorder::elapsedChanged, this, &RecordBar::showElapsed);
    connect(recorder_.get(), &Recorder::recordingChanged, this, [this](bool recording) {
        if (recording) {
            meter_->clear();
            message_.clear();
        }
        showState();
        Q_EMIT recordingChanged(recording);
    });
    connect(recorder_.get(), &Recorder::finished, this, [this](const Waveform& waveform) {
        writing_ = std::make_unique<Writing>();
        writing_->waveform = waveform;
        write();
    });
    connect(recorder_.get(), &Recorder::failed, this, &RecordBar::report);
}

void RecordBar::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    needRecorder();
}

void RecordBar::needRecorder() {
    // Asking for devices loads the sound system's plug-ins, which the first window need not wait
    // for.
    if (!recorder_) {
        recorder_ = std::make_unique<Recorder>();
        connectRecorder();
        refreshDevices();
    }
}

bool RecordBar::isRecording() const {
    return recorder_ && recorder_->isRecording();
}

void RecordBar::setFolder(const QString& folder) {
    folder_ = folder;
}

void RecordBar::setBlockedReason(const QString& reason) {
    blocked_reason_ = reason;
    showState();
}

void RecordBar::start() {
    needRecorder();
    if (!isRecording() && button_->isEnabled()) {
        recorder_->start(devices_->currentData().toByteArray());
    }
}

void RecordBar::stop() {
    if (isRecording()) {
        recorder_->stop();
    }
}

void RecordBar::refreshDevices() {
    needRecorder();
    const QByteArray chosen = devices_->currentData().toByteArray();
    devices_->clear();
    for (const RecordingDevice& device : recorder_->devices()) {
        devices_->addItem(device.isDefault ? tr("%1 (default)").arg(device.name) : device.name,
                          device.id);
    }
    devices_->setCurrentIndex(std::max(0, devices_->findData(chosen)));
    showState();
}

void RecordBar::write() {
    if (!writing_ || writer_ != nullptr) {
        return;
    }
    message_.clear();
    // An hour of samples takes the disk longer than a window may stand still.
    Writing* writing = writing_.get();
    writing->error.clear();
    writer_ = QThread::create([writing, folder = folder_] {
        try {
            if (!QDir().mkpath(folder)) {
                writing->error = tr("The folder %1 cannot be made.").arg(folder);
                return;
            }
            writing->path = newRecordingPath(folder);
            write_wav(std::filesystem::path(writing->path.toStdU16String()), writing->waveform);
        } catch (const std::exception& e) {
            writing->error = QString::fromUtf8(e.what());
        }
    });
    writer_->setParent(this);
    connect(writer_, &QThread::finished, this, &RecordBar::onWritten);
    writer_->start();
    showState();
}

void RecordBar::onWritten() {
    writer_->deleteLater();
    writer_ = nullptr;
    if (!writing_->error.isEmpty()) {
        report(tr("The recording could not be saved. %1").arg(writing_->error));
        return;
    }
    const QString path = writing_->path;
    writing_.reset();
    message_ = tr("Saved as %1").arg(QFileInfo(path).fileName());
    message_is_error_ = false;
    showState();
    Q_EMIT recorded(path);
}

void RecordBar::report(const QString& message) {
    message_ = message;
    message_is_error_ = true;
    showState();
    Q_EMIT failed(message);
}

void RecordBar::showElapsed(double seconds) {
    const QString text = timeText(seconds, 0.1);
    elapsed_->setText(seconds < 60 ? tr("%1 s").arg(text) : text);
}

void RecordBar::showState() {
    const bool recording = isRecording();
    const bool saving = writer_ != nullptr;
    QString reason = blocked_reason_;
    if (reason.isEmpty() && recorder_) {
        reason = recorder_->unavailableReason();
    }
    const bool unsaved = writing_ && !saving;
    button_->setEnabled(recording || (reason.isEmpty() && !saving && !unsaved));
    button_->setText(recording ? tr("Stop") : tr("Record"));
    button_->setIcon(glyphIcon(recording ? Glyph::Stop : Glyph::Record, palette()));
    button_->setToolTip(reason);
    devices_->setEnabled(!recording && devices_->count() > 0);
    if (devices_->count() == 0) {
        devices_->setPlaceholderText(tr("No input device"));
    }
    retry_->setVisible(unsaved);
    if (!recording && !saving && message_.isEmpty()) {
        showElapsed(0);
    }
    const QString text = saving                            ? tr("Saving…")
                         : !recording && !reason.isEmpty() ? reason
                                                           : message_;
    state_->setText(text);
    state_->setVisible(!text.isEmpty());
    QPalette colors = palette();
    const bool error = message_is_error_ && text == message_;
    colors.setColor(QPalette::WindowText,
                    error ? errorColor(palette()) : palette().color(QPalette::WindowText));
    state_->setPalette(colors);
}

void RecordBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && button_ != nullptr && state_ != nullptr) {
        showState();
    }
}

}  // namespace earscope
