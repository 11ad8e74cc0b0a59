#pragma once
#include <QString>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QThread;

namespace earscope {

class LevelMeter;
class Recorder;

/// Folder that recordings are kept in: $XDG_DATA_HOME/earscope/recordings.
QString recordingsFolder();

/// Recording controls: device, level, elapsed time, Record/Stop. A finished recording is written
/// as a WAV file into `recordingsFolder()` before its path is given out.
class RecordBar : public QWidget {
    Q_OBJECT
public:
    explicit RecordBar(QWidget* parent = nullptr);
    ~RecordBar() override;

    bool isRecording() const;
    /// Another folder than the user's, for tests and `--profile`.
    void setFolder(const QString& folder);
    /// Not empty: recording is refused for this reason (five sources are there already).
    void setBlockedReason(const QString& reason);

public Q_SLOTS:
    void start();
    /// Stops and saves.
    void stop();
    void refreshDevices();

Q_SIGNALS:
    void recorded(const QString& path);
    void recordingChanged(bool recording);
    void failed(const QString& message);

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Writing;

    void build();
    void connectRecorder();
    void needRecorder();
    void write();
    void onWritten();
    void report(const QString& message);
    void showElapsed(double seconds);
    void showState();

    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<Writing> writing_;  ///< kept until it is on disk
    QThread* writer_ = nullptr;
    QString folder_;
    QString blocked_reason_;
    QString message_;
    bool message_is_error_ = false;
    QComboBox* devices_ = nullptr;
    LevelMeter* meter_ = nullptr;
    QLabel* elapsed_ = nullptr;
    QLabel* state_ = nullptr;
    QPushButton* button_ = nullptr;
    QPushButton* retry_ = nullptr;
};

}  // namespace earscope
