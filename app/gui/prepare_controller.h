#pragma once
#include "core/bridge/values.h"

#include <QObject>
#include <QTimer>

namespace earscope {

class CursorModel;
class ProblemList;
class PromptPanel;
class SessionController;
class TokensTab;
class WorkState;

/// Prepares the request by itself, a moment after the last edit, and shows what the model would
/// get: tokens, context, default markers, problems.
class PrepareController : public QObject {
    Q_OBJECT
public:
    /// Wait after an edit, so that typing does not start a preparation per key.
    static constexpr int kDelayMilliseconds = 350;

    PrepareController(SessionController& session, WorkState& state, PromptPanel& prompt,
                      TokensTab& tokens, QObject* parent = nullptr);

    bool isPreparing() const { return job_ != 0 || timer_.isActive(); }
    /// Prepares now what is waiting for the end of the delay.
    void flush();
    void prepareNow();

private:
    void connectSession();
    void schedule();
    void showMarkers();
    void showEmptyTokens();
    void onPrepared(const PreparedValue& value);

    SessionController& session_;
    WorkState& state_;
    PromptPanel& prompt_;
    TokensTab& tokens_;
    QTimer timer_;
    JobId job_ = 0;
    RequestValue asked_;
};

}  // namespace earscope
