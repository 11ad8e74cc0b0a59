#pragma once
#include "core/bridge/run_values.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace earscope {

/// A changed copy of a profile: how the request is run a second time. The named profiles
/// themselves stay as they are.
class ChangedCopyDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts from what the user has chosen for the run of before.
    explicit ChangedCopyDialog(const RunSpec& start, QWidget* parent = nullptr);

    RunSpec spec() const;

private:
    void refresh();

    RunSpec start_;
    QCheckBox* sample_;
    QDoubleSpinBox* temperature_;
    QDoubleSpinBox* top_p_;
    QSpinBox* top_k_;
    QSpinBox* seed_;
    QSpinBox* budget_;
};

/// A model to run the same request under.
struct ModelChoice {
    QString title;
    QString folder;  ///< snapshot folder, "demo" or "demo-moss"
};

/// Chooses the model for the second column; "Folder…" asks for any other.
class OtherModelDialog : public QDialog {
    Q_OBJECT
public:
    explicit OtherModelDialog(const std::vector<ModelChoice>& choices, QWidget* parent = nullptr);

    /// Empty while nothing is chosen.
    QString folder() const;
    void setFolder(const QString& folder);

Q_SIGNALS:
    void browseRequested();

private:
    QComboBox* choice_;
};

}  // namespace earscope
