#include "app/gui/self_check_dialog.h"

#include "core/bridge/session_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <cmath>

namespace earscope {
namespace {

QString numberText(double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 3) : QStringLiteral("–");
}

QTableWidgetItem* cell(const QString& text, bool right = false) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
    item->setTextAlignment(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    return item;
}

}  // namespace

SelfCheckDialog::SelfCheckDialog(SessionController& session, QWidget* parent)
    : QDialog(parent), session_(session) {
    setObjectName(QStringLiteral("selfCheckDialog"));
    setWindowTitle(tr("Self-check"));
    auto* layout = new QVBoxLayout(this);
    auto* text = new QLabel(
        tr("Runs both demonstration models and holds every stage against values that the reference "
           "implementations gave. The open model stays as it is."),
        this);
    text->setWordWrap(true);
    layout->addWidget(text);
    buildChoices();
    buildTable();
    line_ = new QLabel(tr("Not run yet."), this);
    line_->setObjectName(QStringLiteral("selfCheckLine"));
    line_->setWordWrap(true);
    layout->addWidget(line_);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setVisible(false);
    progress_->setAccessibleName(tr("Self-check is running"));
    layout->addWidget(progress_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    copy_ = buttons->addButton(tr("&Copy report"), QDialogButtonBox::ActionRole);
    copy_->setEnabled(false);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(report_); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connectSession();
    resize(640, 560);
}

void SelfCheckDialog::buildChoices() {
    device_ = new QComboBox(this);
    device_->addItems(availableDevices());
    device_->setAccessibleName(tr("Device"));
    dtype_ = new QComboBox(this);
    dtype_->addItems(supportedDtypes());
    dtype_->setAccessibleName(tr("Number type"));
    run_ = new QPushButton(tr("&Run"), this);
    run_->setObjectName(QStringLiteral("selfCheckRun"));
    run_->setDefault(true);
    connect(run_, &QPushButton::clicked, this, [this] {
        if (job_ != 0) {
            session_.cancel(job_);
        } else {
            run();
        }
    });
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel(tr("Device"), this));
    row->addWidget(device_);
    row->addWidget(new QLabel(tr("Number type"), this));
    row->addWidget(dtype_);
    row->addStretch();
    row->addWidget(run_);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void SelfCheckDialog::buildTable() {
    table_ = new QTableWidget(0, 5, this);
    table_->setObjectName(QStringLiteral("selfCheckTable"));
    table_->setAccessibleName(tr("Stages"));
    table_->setHorizontalHeaderLabels(
        {tr("Model"), tr("Stage"), tr("Error"), tr("Allowed"), tr("Result")});
    table_->horizontalHeaderItem(2)->setToolTip(
        tr("float32: largest difference over the largest value; other types: root mean square of "
           "the difference over that of the values; ids: how many differ"));
    table_->verticalHeader()->hide();
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setStretchLastSection(true);
    layout()->addWidget(table_);
}

void SelfCheckDialog::connectSession() {
    connect(&session_, &SessionController::selfChecked, this, [this](const SelfCheckValue& value) {
        if (value.id == job_) {
            present(value);
        }
    });
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_) {
            end(tr("The check could not be run: %1").arg(failure.message));
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            end(tr("Stopped."));
        }
    });
}

void SelfCheckDialog::run() {
    SelfCheckJob job;
    job.device = device_->currentText();
    job.dtype = dtype_->currentText();
    table_->setRowCount(0);
    report_.clear();
    copy_->setEnabled(false);
    run_->setText(tr("&Stop"));
    line_->setText(session_.isBusy() ? tr("Waits for what runs now…") : tr("Running…"));
    progress_->setVisible(true);
    job_ = session_.selfCheck(job);
}

void SelfCheckDialog::end(const QString& line) {
    job_ = 0;
    run_->setText(tr("&Run"));
    progress_->setVisible(false);
    line_->setText(line);
}

void SelfCheckDialog::present(const SelfCheckValue& value) {
    report_ = tr("Earscope %1 self-check, %2, %3")
                  .arg(QCoreApplication::applicationVersion(), value.device, value.dtype);
    table_->setRowCount(static_cast<int>(value.rows.size()));
    int row = 0;
    int failed = 0;
    for (const SelfCheckRow& stage : value.rows) {
        const bool beyond = stage.measure == QLatin1String("beyond float16");
        const QString verdict = beyond         ? tr("beyond float16")
                                : stage.passed ? tr("✓ equal")
                                               : tr("✗ differs");
        failed += stage.passed ? 0 : 1;
        const QStringList texts{stage.family, stage.stage, numberText(stage.error),
                                numberText(stage.bound), verdict};
        for (int column = 0; column < texts.size(); ++column) {
            table_->setItem(row, column, cell(texts[column], column == 2 || column == 3));
        }
        report_ += QLatin1Char('\n') + texts.join(QLatin1Char('\t'));
        ++row;
    }
    table_->resizeColumnsToContents();
    copy_->setEnabled(true);
    end(value.passed ? tr("This build computes what the reference does on %1, %2.")
                           .arg(value.device, value.dtype)
                     : tr("%n stage(s) differ from the reference on %1, %2.", nullptr, failed)
                           .arg(value.device, value.dtype));
}

void SelfCheckDialog::done(int result) {
    if (job_ != 0) {
        session_.cancel(job_);
    }
    QDialog::done(result);
}

}  // namespace earscope
