#pragma once
#include "core/bridge/values.h"

#include <QObject>

class QSettings;

namespace earscope {

class ModelPanel;
class ProblemList;
class SessionController;
class WorkState;

/// Opens, reloads and closes the model for the Model dock.
class ModelController : public QObject {
    Q_OBJECT
public:
    ModelController(SessionController& session, WorkState& state, ModelPanel& panel,
                    ProblemList& problems, QObject* parent = nullptr);

    /// A snapshot folder, a Hugging Face cache entry, "demo" or "demo-moss".
    void open(const QString& folder);
    void openDemo();
    void openDemoMoss();
    static bool hasDemo();
    static bool hasDemoMoss();
    void chooseFolder();
    /// Looks for devices and cached snapshots without holding up the window.
    void lookAround();
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

Q_SIGNALS:
    /// Snapshots found in the Hugging Face cache.
    void cachedFound(const QStringList& folders);

private:
    void connectSession();

    SessionController& session_;
    WorkState& state_;
    ModelPanel& panel_;
    ProblemList& problems_;
    JobId job_ = 0;
    QString last_folder_;
};

}  // namespace earscope
