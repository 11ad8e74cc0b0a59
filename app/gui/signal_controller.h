#pragma once
#include "core/bridge/values.h"

#include <QObject>
#include <QStringList>

#include <vector>

namespace earscope {

class CursorModel;
class SignalView;
class SourcesController;
class WorkState;

/// Feeds the Signal view and the shared cursor from the sources and what was prepared of them.
class SignalController : public QObject {
    Q_OBJECT
public:
    SignalController(WorkState& state, SourcesController& sources, SignalView& view,
                     CursorModel& cursor, QObject* parent = nullptr);

    /// Space: plays from the cursor, or stops.
    void togglePlay();
    /// P: the token under the cursor and half a second around it.
    void playToken();

private:
    void refresh();
    void keepPrepared();
    QString messageOf(int index) const;

    WorkState& state_;
    SourcesController& sources_;
    SignalView& view_;
    CursorModel& cursor_;
    /// What was prepared last of the present sources: it does not depend on the prompt, so it stays
    /// in view while the user types.
    std::vector<PreparedSource> kept_;
    QStringList kept_paths_;
};

}  // namespace earscope
