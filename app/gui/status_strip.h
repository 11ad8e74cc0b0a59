#pragma once
#include "core/bridge/values.h"

#include <QStatusBar>

class QLabel;
class QProgressBar;
class QPushButton;

namespace earscope {

class ProblemList;

/// The status bar: what happens now with its progress and Cancel, context, speed, problems.
class StatusStrip : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusStrip(QWidget* parent = nullptr);

    void setBusy(bool busy);
    void setProgress(JobId id, const Progress& progress);
    /// What stands there while nothing runs.
    void setIdleText(const QString& text);
    void setContext(int promptTokens, int audioTokens, int contextLength);
    void setSpeed(int tokens, double tokensPerSecond);
    ProblemList* problems() const { return problems_; }

Q_SIGNALS:
    void cancelRequested();

private:
    QLabel* state_;
    QProgressBar* bar_;
    QPushButton* cancel_;
    QLabel* context_;
    QLabel* speed_;
    ProblemList* problems_;
    QString idle_text_;
    bool busy_ = false;
};

}  // namespace earscope
