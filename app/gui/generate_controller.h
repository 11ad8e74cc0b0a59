#pragma once
#include "core/bridge/values.h"

#include <QObject>

#include <memory>

class QSettings;

namespace earscope {

class ProblemList;
class PromptPanel;
class SessionController;
class TokensTab;
class WorkState;

/// Runs the request and streams its answer into the Prompt dock.
class GenerateController : public QObject {
    Q_OBJECT
public:
    GenerateController(SessionController& session, WorkState& state, PromptPanel& prompt,
                       TokensTab& tokens, ProblemList& problems, QObject* parent = nullptr);

    void generate();
    void stop();
    bool isRunning() const { return job_ != 0; }
    /// The last finished answer, if it belongs to the present request and edits; else null.
    std::shared_ptr<const GenerationValue> answer() const;
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

Q_SIGNALS:
    void runningChanged(bool running);
    /// Before a job is given to the model: what waits to be prepared goes first.
    void aboutToRun();
    /// Once per gathered piece of an answer.
    void speedChanged(int tokens, double tokensPerSecond);

private:
    void connectSession();
    void showEdits();
    void finish();

    SessionController& session_;
    WorkState& state_;
    PromptPanel& prompt_;
    TokensTab& tokens_;
    ProblemList& problems_;
    JobId job_ = 0;
    std::shared_ptr<const GenerationValue> answer_;
};

}  // namespace earscope
