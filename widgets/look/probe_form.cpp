#include "widgets/look/probe_form.h"

#include "widgets/look/wrap_layout.h"

#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStringListModel>

#include <initializer_list>

namespace earscope {

ProbeForm::ProbeForm(QWidget* parent) : QWidget(parent), modules_(new QStringListModel(this)) {
    module_ = new QLineEdit(this);
    module_->setObjectName(QStringLiteral("probeModule"));
    module_->setAccessibleName(tr("Module or pattern"));
    module_->setPlaceholderText(tr("module or pattern, e.g. layers:0-7"));
    module_->setToolTip(
        tr("A name of the module tree; * stands for any part without a dot "
           "(language_model.layers.*.mlp); layers:0-7 for layers of the language model; #in behind "
           "a name "
           "means what the module gets, #pre behind "
           "a DeepStack layer of MOSS-Music means before the addition."));
    module_->setMinimumWidth(230);
    auto* completer = new QCompleter(modules_, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    module_->setCompleter(completer);
    add_ = new QPushButton(tr("Add"), this);
    add_->setObjectName(QStringLiteral("probeAdd"));
    auto* row = new WrapLayout(this);
    row->addWidget(module_);
    row->addWidget(buildScope());
    row->addWidget(buildAction());
    row->addWidget(add_);
    connect(add_, &QPushButton::clicked, this, &ProbeForm::addRequested);
    connect(module_, &QLineEdit::returnPressed, this, [this] {
        if (problem().isEmpty()) {
            Q_EMIT addRequested();
        }
    });
    connect(module_, &QLineEdit::textChanged, this, &ProbeForm::refresh);
    refresh();
}

QWidget* ProbeForm::buildScope() {
    auto* bar = new QWidget(this);
    auto* row = new WrapLayout(bar);
    scope_ = new QComboBox(bar);
    scope_->setObjectName(QStringLiteral("probeScope"));
    scope_->setAccessibleName(tr("Positions"));
    scope_->addItem(tr("all positions"), QStringLiteral("all"));
    scope_->addItem(tr("audio of source"), QStringLiteral("audio"));
    scope_->addItem(tr("seconds of source"), QStringLiteral("range"));
    scope_->addItem(tr("last prompt token"), QStringLiteral("last"));
    scope_->addItem(tr("generated tokens"), QStringLiteral("generated"));
    scope_->setToolTip(tr("Outside the language model only all positions can be chosen."));
    source_ = new QSpinBox(bar);
    source_->setObjectName(QStringLiteral("probeSource"));
    source_->setAccessibleName(tr("Source"));
    source_->setRange(1, 5);
    const auto seconds = [&](const QString& name, const QString& prefix) {
        auto* box = new QDoubleSpinBox(bar);
        box->setObjectName(name);
        box->setAccessibleName(prefix.trimmed());
        box->setDecimals(3);
        box->setMaximum(36'000);
        box->setPrefix(prefix);
        box->setSuffix(tr(" s"));
        return box;
    };
    from_ = seconds(QStringLiteral("probeFrom"), tr("from "));
    to_ = seconds(QStringLiteral("probeTo"), tr("to "));
    to_->setValue(1);
    for (QWidget* part : std::initializer_list<QWidget*>{scope_, source_, from_, to_}) {
        row->addWidget(part);
    }
    connect(scope_, &QComboBox::currentIndexChanged, this, &ProbeForm::refresh);
    connect(from_, &QDoubleSpinBox::valueChanged, this, &ProbeForm::refresh);
    connect(to_, &QDoubleSpinBox::valueChanged, this, &ProbeForm::refresh);
    return bar;
}

QWidget* ProbeForm::buildAction() {
    auto* bar = new QWidget(this);
    auto* row = new WrapLayout(bar);
    action_ = new QComboBox(bar);
    action_->setObjectName(QStringLiteral("probeAction"));
    action_->setAccessibleName(tr("What it does"));
    action_->addItem(tr("watch (probe)"), QString());
    action_->addItem(tr("edit: zero"), QStringLiteral("zero"));
    action_->addItem(tr("edit: scale by"), QStringLiteral("scale"));
    action_->addItem(tr("edit: add"), QStringLiteral("add"));
    action_->addItem(tr("edit: noise of deviation"), QStringLiteral("noise"));
    action_->addItem(tr("edit: replace from file"), QStringLiteral("from"));
    value_ = new QDoubleSpinBox(bar);
    value_->setObjectName(QStringLiteral("probeValue"));
    value_->setAccessibleName(tr("Value of the edit"));
    value_->setDecimals(4);
    value_->setRange(-1e6, 1e6);
    value_->setSingleStep(0.1);
    value_->setValue(0.5);
    seed_ = new QSpinBox(bar);
    seed_->setObjectName(QStringLiteral("probeSeed"));
    seed_->setAccessibleName(tr("Seed of the noise"));
    seed_->setPrefix(tr("seed "));
    seed_->setRange(0, 2'147'483'647);
    seed_->setValue(3407);
    tensor_ = new QLineEdit(bar);
    tensor_->setObjectName(QStringLiteral("probeTensor"));
    tensor_->setAccessibleName(tr("File and tensor"));
    tensor_->setPlaceholderText(tr("file.safetensors#tensor"));
    tensor_->setMinimumWidth(200);
    for (QWidget* part : std::initializer_list<QWidget*>{action_, value_, seed_, tensor_}) {
        row->addWidget(part);
    }
    connect(action_, &QComboBox::currentIndexChanged, this, &ProbeForm::refresh);
    connect(value_, &QDoubleSpinBox::valueChanged, this, &ProbeForm::refresh);
    connect(tensor_, &QLineEdit::textChanged, this, &ProbeForm::refresh);
    return bar;
}

void ProbeForm::setModules(const QStringList& names) {
    modules_->setStringList(names);
}

void ProbeForm::setSources(int count) {
    source_->setMaximum(std::max(1, count));
}

void ProbeForm::setModule(const QString& name) {
    module_->setText(name);
}

bool ProbeForm::isEdit() const {
    return !action_->currentData().toString().isEmpty();
}

QString ProbeForm::scopeText() const {
    const QString scope = scope_->currentData().toString();
    const QString source = QString::number(source_->value() - 1);
    if (scope == QLatin1String("audio")) {
        return QStringLiteral("audio:%1").arg(source);
    }
    if (scope == QLatin1String("range")) {
        return QStringLiteral("range:%1:%2:%3")
            .arg(source, QString::number(from_->value(), 'f', 3),
                 QString::number(to_->value(), 'f', 3));
    }
    return scope;
}

QString ProbeForm::actionText() const {
    const QString action = action_->currentData().toString();
    const QString value = QString::number(value_->value(), 'g', 10);
    if (action == QLatin1String("zero")) {
        return action;
    }
    if (action == QLatin1String("noise")) {
        return QStringLiteral("noise:%1:%2").arg(value, QString::number(seed_->value()));
    }
    if (action == QLatin1String("from")) {
        return QStringLiteral("from:%1").arg(tensor_->text().trimmed());
    }
    return QStringLiteral("%1:%2").arg(action, value);
}

QString ProbeForm::text() const {
    const QString where = module_->text().trimmed() + QLatin1Char('@') + scopeText();
    return isEdit() ? where + QLatin1Char('=') + actionText() : where;
}

QString ProbeForm::problem() const {
    const QString action = action_->currentData().toString();
    if (module_->text().trimmed().isEmpty()) {
        return tr("Name a module or a pattern.");
    }
    if (scope_->currentData().toString() == QLatin1String("range") &&
        from_->value() >= to_->value()) {
        return tr("The range must end after it begins.");
    }
    if (action == QLatin1String("noise") && value_->value() < 0) {
        return tr("A deviation cannot be negative.");
    }
    if (action == QLatin1String("from") && !tensor_->text().contains(QLatin1Char('#'))) {
        return tr("Write the file, a # and the tensor's name.");
    }
    return {};
}

void ProbeForm::refresh() {
    const QString scope = scope_->currentData().toString();
    const QString action = action_->currentData().toString();
    const bool range = scope == QLatin1String("range");
    source_->setVisible(range || scope == QLatin1String("audio"));
    from_->setVisible(range);
    to_->setVisible(range);
    value_->setVisible(action == QLatin1String("scale") || action == QLatin1String("add") ||
                       action == QLatin1String("noise"));
    seed_->setVisible(action == QLatin1String("noise"));
    tensor_->setVisible(action == QLatin1String("from"));
    const QString why = problem();
    add_->setEnabled(why.isEmpty());
    add_->setToolTip(why.isEmpty() ? tr("Adds %1").arg(text()) : why);
}

}  // namespace earscope
