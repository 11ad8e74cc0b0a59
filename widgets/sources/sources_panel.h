#pragma once
#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QMimeData;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace earscope {

class SourceRow;

inline constexpr int kMaxSources = 5;

/// One row of the sources panel.
struct SourceEntry {
    QString path;
    QString label;       ///< may be empty: the file's name is shown as a placeholder
    int sampleRate = 0;  ///< of the file
    int channels = 0;    ///< of the file
    double durationSeconds = 0;
    int expectedTokens = -1;  ///< by length alone; -1: not known
    int tokens = -1;          ///< after preparation; -1: not prepared
    QStringList notices;      ///< down-mixed, resampled, cut, ...
    QString error;            ///< not empty: unreadable, shown in red
    bool loading = false;

    bool operator==(const SourceEntry&) const = default;
};

/// The list of up to five sources in their order, with what becomes of each.
///
/// Holds no sound and changes nothing itself: it says what the user wants and is told the outcome
/// by `setSources`.
class SourcesPanel : public QWidget {
    Q_OBJECT
public:
    explicit SourcesPanel(QWidget* parent = nullptr);

    void setSources(std::vector<SourceEntry> entries);
    const std::vector<SourceEntry>& sources() const { return entries_; }
    /// Row that is heard now, or -1.
    void setPlaying(int index);
    /// An empty reason allows playing; otherwise the buttons are disabled and say the reason.
    void setPlaybackReason(const QString& reason);
    /// Puts recording controls below the list; the Record button shows and hides them.
    void setRecordingControls(QWidget* controls);
    /// As pressing the Record button.
    void showRecording(bool shown);
    /// Shows why something was refused, until the user's next action in the panel.
    void showMessage(const QString& message);
    void clearMessage();
    /// What of a drop would be added, and why the rest would not.
    struct DropVerdict {
        QStringList paths;
        QStringList refusals;
    };
    DropVerdict judgeDrop(const QMimeData& mime) const;
    /// The same for paths chosen in a dialog.
    DropVerdict judgePaths(const QStringList& paths) const;

Q_SIGNALS:
    void addRequested(const QStringList& paths);
    void removeRequested(int index);
    void moveRequested(int from, int to);
    void labelChanged(int index, const QString& label);
    void playRequested(int index);
    void stopRequested();
    /// The Record button was pressed down or released; the recording controls, if set, follow it.
    void recordRequested(bool shown);
    /// A row got the focus or was clicked.
    void sourceActivated(int index);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void buildList();
    void buildButtons();
    void chooseFiles();
    void add(const DropVerdict& verdict);
    void addRow();
    void commitLabels();
    void requestMove(int from, int to);
    void refresh();
    void showColors();
    int rowBoundaryAt(const QPoint& position) const;
    void showDropLine(int boundary);
    void setDropHint(bool shown);

    std::vector<SourceEntry> entries_;
    std::vector<SourceRow*> rows_;
    int playing_ = -1;
    int focus_after_move_ = -1;
    bool drop_hint_ = false;  ///< files that would be added are dragged over the panel
    QString playback_reason_;
    QWidget* controls_ = nullptr;
    QWidget* drop_line_ = nullptr;
    QLabel* empty_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QVBoxLayout* row_layout_ = nullptr;
    QVBoxLayout* layout_ = nullptr;
    QLabel* message_ = nullptr;
    QLabel* count_ = nullptr;
    QPushButton* add_ = nullptr;
    QPushButton* record_ = nullptr;
};

}  // namespace earscope
