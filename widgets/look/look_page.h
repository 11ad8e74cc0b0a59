#pragma once
#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace earscope {

/// What the button of an empty page does.
enum class EmptyAction { None, OpenModel, AddAudio, Run };

/// The frame of every instrument: settings and the run button at the top, one line that says what
/// it costs, how it goes or why not, then the result or what is to be done to get one.
class LookPage : public QWidget {
    Q_OBJECT
public:
    /// @param run   what the button says
    /// @param help  what the page shows, in one sentence
    LookPage(const QString& run, const QString& help, QWidget* parent);

    /// Why it cannot be run now, or an empty text.
    void setRunReason(const QString& reason);
    /// Edits that the next run will have.
    void setPendingEdits(const QStringList& edits);
    /// A line below the settings: what the run will cost. `warn` colours and marks it.
    void setEstimate(const QString& text, bool warn = false);
    void showEmpty(const QString& text, EmptyAction action);
    void showBusy(const QString& text);
    /// The run ended otherwise than with a result; the text stays until the next run.
    void showEnded(const QString& text);
    /// A result came; `edits` were in force.
    void showResult(const QStringList& edits);
    /// What is shown belongs to another request; empty takes the line away.
    void setOutdated(const QString& text);
    bool hasResult() const { return has_result_; }
    void clearResult();
    /// Why what is shown cannot be written to a file, or an empty text. Without a result the button
    /// is disabled anyway.
    void setExportReason(const QString& reason);

Q_SIGNALS:
    void runRequested();
    void exportRequested();
    void openModelRequested();
    void addAudioRequested();

protected:
    void changeEvent(QEvent* event) override;
    /// Adds a labelled control to the line of settings.
    void addSetting(const QString& label, QWidget* control);
    void addTool(QWidget* control);
    void setRunText(const QString& text);
    /// Shown above result and empty text alike.
    void addHeader(QWidget* header);
    void setContent(QWidget* content);
    /// A fault of the settings, which keeps the button disabled; empty when they are fine.
    void setSettingsProblem(const QString& problem);

private:
    QWidget* buildEmpty();
    void refresh();
    void keepFocus(bool had_focus);

    QString help_;
    QString run_reason_;
    QString settings_problem_;
    QString export_reason_;
    QString busy_;
    QString ended_;
    QString estimate_;
    QStringList pending_edits_;
    QString outdated_text_;
    bool warn_ = false;
    bool has_result_ = false;
    EmptyAction empty_action_kind_ = EmptyAction::None;
    QWidget* settings_ = nullptr;
    QPushButton* run_ = nullptr;
    QPointer<QWidget> focus_moved_to_;  ///< from the run button when it was disabled
    QPushButton* export_ = nullptr;
    QLabel* line_ = nullptr;
    QLabel* edited_ = nullptr;
    QLabel* outdated_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* empty_text_ = nullptr;
    QPushButton* empty_action_ = nullptr;
    QWidget* content_ = nullptr;
};

}  // namespace earscope
