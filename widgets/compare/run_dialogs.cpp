#include "widgets/compare/run_dialogs.h"

#include "widgets/model/model_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace earscope {
namespace {

/// What generic_sampled says, where sampling is switched on over a greedy profile.
constexpr SamplingValue kSampled{true, 0.7, 0.9, 50};
constexpr int kMostTokens = 40'960;

QDoubleSpinBox* fraction(const QString& name, double low, double high, double value,
                         QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setObjectName(name);
    box->setDecimals(3);
    box->setSingleStep(0.05);
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

QSpinBox* whole(const QString& name, int low, int high, int value, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(name);
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

QDialogButtonBox* runButtons(QDialog* dialog) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
    QPushButton* run = buttons->addButton(QDialog::tr("Run"), QDialogButtonBox::AcceptRole);
    run->setObjectName(QStringLiteral("runButton"));
    run->setDefault(true);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    return buttons;
}

}  // namespace

ChangedCopyDialog::ChangedCopyDialog(const RunSpec& start, QWidget* parent)
    : QDialog(parent), start_(start) {
    setObjectName(QStringLiteral("changedCopyDialog"));
    setWindowTitle(tr("Run a changed copy"));
    const SamplingValue values = start.changed.value_or(kSampled);
    auto* text = new QLabel(
        tr("Runs the request twice: as it is set now (A), and with these values (B). The profile "
           "itself stays as it is."),
        this);
    text->setWordWrap(true);
    sample_ = new QCheckBox(tr("&Sample (else the likeliest token is taken each time)"), this);
    sample_->setObjectName(QStringLiteral("changedSample"));
    sample_->setChecked(values.sample);
    temperature_ =
        fraction(QStringLiteral("changedTemperature"), 0.01, 10, values.temperature, this);
    top_p_ = fraction(QStringLiteral("changedTopP"), 0.001, 1, values.topP, this);
    top_k_ = whole(QStringLiteral("changedTopK"), 0, 1'000'000, values.topK, this);
    top_k_->setSpecialValueText(tr("all tokens"));
    seed_ = whole(QStringLiteral("changedSeed"), 0, std::numeric_limits<int>::max(),
                  static_cast<int>(std::min<quint64>(
                      start.seed, static_cast<quint64>(std::numeric_limits<int>::max()))),
                  this);
    budget_ = whole(QStringLiteral("changedBudget"), 1, kMostTokens, start.maxNewTokens, this);
    auto* form = new QFormLayout;
    form->addRow(sample_);
    form->addRow(tr("&Temperature"), temperature_);
    form->addRow(tr("Top-&p"), top_p_);
    form->addRow(tr("Top-&k"), top_k_);
    form->addRow(tr("S&eed"), seed_);
    form->addRow(tr("New tokens, at &most"), budget_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(form);
    layout->addWidget(runButtons(this));
    connect(sample_, &QCheckBox::toggled, this, &ChangedCopyDialog::refresh);
    refresh();
}

void ChangedCopyDialog::refresh() {
    for (QWidget* widget : std::initializer_list<QWidget*>{temperature_, top_p_, top_k_, seed_}) {
        widget->setEnabled(sample_->isChecked());
    }
}

RunSpec ChangedCopyDialog::spec() const {
    RunSpec spec = start_;
    spec.changed = SamplingValue{sample_->isChecked(), temperature_->value(), top_p_->value(),
                                 top_k_->value()};
    spec.seed = static_cast<quint64>(seed_->value());
    spec.maxNewTokens = budget_->value();
    return spec;
}

OtherModelDialog::OtherModelDialog(const std::vector<ModelChoice>& choices, QWidget* parent)
    : QDialog(parent), choice_(new QComboBox(this)) {
    setObjectName(QStringLiteral("otherModelDialog"));
    setWindowTitle(tr("Run under another model"));
    auto* text = new QLabel(
        tr("Runs the request under the open model (A), then under this one (B). Only one model is "
           "in memory at a time; the open one comes back afterwards."),
        this);
    text->setWordWrap(true);
    choice_->setObjectName(QStringLiteral("otherModel"));
    choice_->setAccessibleName(tr("Model"));
    for (const ModelChoice& choice : choices) {
        choice_->addItem(choice.title, choice.folder);
        choice_->setItemData(choice_->count() - 1, choice.folder, Qt::ToolTipRole);
    }
    auto* browse = new QPushButton(tr("&Folder…"), this);
    browse->setObjectName(QStringLiteral("otherModelBrowse"));
    auto* row = new QHBoxLayout;
    row->addWidget(choice_, 1);
    row->addWidget(browse);
    QDialogButtonBox* buttons = runButtons(this);
    auto* run = buttons->findChild<QPushButton*>(QStringLiteral("runButton"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(row);
    layout->addWidget(buttons);
    connect(browse, &QPushButton::clicked, this, &OtherModelDialog::browseRequested);
    connect(choice_, &QComboBox::currentIndexChanged, this,
            [this, run] { run->setEnabled(!folder().isEmpty()); });
    run->setEnabled(!folder().isEmpty());
    setMinimumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 56);
}

QString OtherModelDialog::folder() const {
    return choice_->currentData().toString();
}

void OtherModelDialog::setFolder(const QString& folder) {
    int index = choice_->findData(folder);
    if (index < 0) {
        choice_->addItem(ModelPanel::titleOfFolder(folder), folder);
        index = choice_->count() - 1;
        choice_->setItemData(index, folder, Qt::ToolTipRole);
    }
    choice_->setCurrentIndex(index);
}

}  // namespace earscope
