#pragma once
#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QStringListModel;

namespace earscope {

/// Puts together one probe or edit: a module or pattern, where it acts, and what it does.
class ProbeForm : public QWidget {
    Q_OBJECT
public:
    explicit ProbeForm(QWidget* parent = nullptr);

    /// Names offered while typing.
    void setModules(const QStringList& names);
    void setSources(int count);
    void setModule(const QString& name);
    /// As earscope-cli takes it: "MODULE@SCOPE", "MODULE@SCOPE=scale:0.5".
    QString text() const;
    bool isEdit() const;
    /// Why it cannot be added as it is, or an empty text.
    QString problem() const;

Q_SIGNALS:
    void addRequested();

private:
    QWidget* buildScope();
    QWidget* buildAction();
    QString scopeText() const;
    QString actionText() const;
    void refresh();

    QStringListModel* modules_;
    QLineEdit* module_ = nullptr;
    QComboBox* scope_ = nullptr;
    QSpinBox* source_ = nullptr;
    QDoubleSpinBox* from_ = nullptr;
    QDoubleSpinBox* to_ = nullptr;
    QComboBox* action_ = nullptr;
    QDoubleSpinBox* value_ = nullptr;
    QSpinBox* seed_ = nullptr;
    QLineEdit* tensor_ = nullptr;
    QPushButton* add_ = nullptr;
};

}  // namespace earscope
