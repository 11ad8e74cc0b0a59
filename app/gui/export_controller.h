#pragma once
#include "core/bridge/values.h"

#include <QObject>
#include <QPointer>

class QSettings;
class QWidget;

namespace earscope {

class ExportDialog;
class ProblemList;
class SessionController;
class WorkState;

/// Opens the Export dialog and writes what was chosen in it.
class ExportController : public QObject {
    Q_OBJECT
public:
    ExportController(SessionController& session, WorkState& state, ProblemList& problems,
                     QWidget& window, QObject* parent = nullptr);

    void openDialog();
    /// The open dialog, or null.
    ExportDialog* dialog() const;
    void run(const ExportJob& job);
    bool isRunning() const { return job_ != 0; }
    /// Why nothing can be exported now, or an empty text.
    QString reason() const;
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

Q_SIGNALS:
    /// A sentence for the status bar.
    void message(const QString& text);
    void exported(const QString& file);
    void runningChanged(bool running);

private:
    QString suggestedFile() const;
    void finish(const QString& text);

    SessionController& session_;
    WorkState& state_;
    ProblemList& problems_;
    QWidget& window_;
    QPointer<ExportDialog> dialog_;
    JobId job_ = 0;
    QString last_folder_;
};

}  // namespace earscope
