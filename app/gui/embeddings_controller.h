#pragma once
#include "widgets/embeddings/embeddings_tab.h"

#include <QObject>

namespace earscope {

class ProblemList;
class SessionController;
class WorkState;

/// Extracts embeddings and prepares them for drawing on the thread pool.
class EmbeddingsController : public QObject {
    Q_OBJECT
public:
    EmbeddingsController(SessionController& session, WorkState& state, EmbeddingsTab& tab,
                         ProblemList& problems, QObject* parent = nullptr);

    void extract();
    /// Why extraction is impossible now, or an empty text.
    QString reason() const;
    bool isRunning() const { return job_ != 0 || summarizing_; }

Q_SIGNALS:
    /// Before a job is given to the model: what waits to be prepared goes first.
    void aboutToRun();
    void extracted();

private:
    void connectSession();
    void onExtracted(const EmbeddingsValue& value);
    void refresh();
    QString emptyText() const;

    SessionController& session_;
    WorkState& state_;
    EmbeddingsTab& tab_;
    ProblemList& problems_;
    JobId job_ = 0;
    bool summarizing_ = false;
    QStringList shown_paths_;
    QStringList shown_edits_;
    QString failure_;
};

}  // namespace earscope
