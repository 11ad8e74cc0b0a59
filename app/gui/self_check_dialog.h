#pragma once
#include "core/bridge/self_check_values.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace earscope {

class SessionController;

/// Help > Self-check: does this build on this machine compute what the reference does? One line a
/// stage, with its error and what is allowed.
class SelfCheckDialog : public QDialog {
    Q_OBJECT
public:
    explicit SelfCheckDialog(SessionController& session, QWidget* parent = nullptr);

    /// Plain text of the last result, for a report; empty before.
    QString report() const { return report_; }
    void run();

protected:
    /// Cancels what runs.
    void done(int result) override;

private:
    void buildChoices();
    void buildTable();
    void connectSession();
    void present(const SelfCheckValue& value);
    void end(const QString& line);

    SessionController& session_;
    JobId job_ = 0;
    QString report_;
    QComboBox* device_ = nullptr;
    QComboBox* dtype_ = nullptr;
    QPushButton* run_ = nullptr;
    QPushButton* copy_ = nullptr;
    QLabel* line_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QTableWidget* table_ = nullptr;
};

}  // namespace earscope
