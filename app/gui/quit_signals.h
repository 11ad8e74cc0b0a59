#pragma once
#include <QObject>

class QSocketNotifier;

namespace earscope {

/// Turns SIGTERM, SIGINT and SIGHUP into a Qt signal on the GUI thread. One per program.
class QuitSignals : public QObject {
    Q_OBJECT
public:
    explicit QuitSignals(QObject* parent = nullptr);
    /// Gives the signals back their usual effect.
    ~QuitSignals() override;

Q_SIGNALS:
    void quitRequested();

private:
    QSocketNotifier* notifier_ = nullptr;
};

}  // namespace earscope
