#include "widgets/look/probes_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/probe_form.h"
#include "widgets/look/twin_view.h"
#include "widgets/model/display_text.h"

#include <QAction>
#include <QCheckBox>
#include <QCoreApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

QString shapeText(const std::vector<qint64>& shape) {
    QStringList parts;
    for (const qint64 size : shape) {
        parts << QLocale().toString(size);
    }
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

/// Height that shows all rows, or `most` of them.
int heightOfRows(const QTableWidget& table, int most) {
    const int rows = std::clamp(table.rowCount(), 1, most);
    return table.horizontalHeader()->sizeHint().height() +
           rows * table.verticalHeader()->defaultSectionSize() + 2 * table.frameWidth() +
           table.horizontalScrollBar()->sizeHint().height();
}

}  // namespace

HeatmapPointer captureMap(const ProbeCapture& capture, const TokenList& prompt) {
    Heatmap map;
    map.values = transposed(capture.values);
    map.valueName = QCoreApplication::translate("earscope::ProbesPage", "value");
    map.rows.title = QCoreApplication::translate("earscope::ProbesPage", "dimension");
    map.columns.title = QCoreApplication::translate("earscope::ProbesPage", "row");
    const auto known = [&](int position) {
        return prompt && position >= 0 && static_cast<std::size_t>(position) < prompt->size();
    };
    const bool named = static_cast<qint64>(capture.positions.size()) == capture.values.rows() &&
                       std::all_of(capture.positions.begin(), capture.positions.end(), known);
    if (named && !capture.positions.empty()) {
        auto tokens = std::make_shared<std::vector<TokenValue>>();
        for (const int position : capture.positions) {
            tokens->push_back((*prompt)[static_cast<std::size_t>(position)]);
        }
        map.columns.tokens = tokens;
        map.columns.title = QCoreApplication::translate("earscope::ProbesPage", "position");
    } else if (static_cast<qint64>(capture.positions.size()) == capture.values.rows()) {
        // Generated tokens stand behind the prompt.
        map.columns.numbers.assign(capture.positions.begin(), capture.positions.end());
        map.columns.title = QCoreApplication::translate("earscope::ProbesPage", "position");
    }
    return finished(std::move(map));
}

ProbesPage::ProbesPage(QWidget* parent)
    : LookPage(tr("Run probes"),
               tr("Keeps what flows out of any module of the model, and changes it on the way."),
               parent) {
    statistics_ = new QCheckBox(tr("&Statistics only"), this);
    statistics_->setObjectName(QStringLiteral("probeStatistics"));
    statistics_->setToolTip(tr("Keeps no tensor, only its norm, mean, extremes and counts."));
    addTool(statistics_);
    addHeader(buildSetting());
    setContent(buildContent());
    connect(statistics_, &QCheckBox::toggled, this, &ProbesPage::probesChanged);
    refreshProblem();
}

QWidget* ProbesPage::buildSetting() {
    auto* part = new QWidget(this);
    form_ = new ProbeForm(part);
    list_ = makeTable(part, QStringLiteral("probeList"), {tr("kind"), tr("probe or edit")});
    list_->setAccessibleName(tr("Probes and edits"));
    list_->hide();
    auto* remove = new QAction(tr("Remove"), list_);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(remove);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    list_->setToolTip(tr("Delete removes the chosen line."));
    auto* button = new QPushButton(tr("Remove"), part);
    button->setObjectName(QStringLiteral("probeRemove"));
    button->hide();
    auto* lines = new QHBoxLayout;
    lines->addWidget(list_, 1);
    lines->addWidget(button, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(form_);
    layout->addLayout(lines);
    connect(form_, &ProbeForm::addRequested, this, &ProbesPage::add);
    connect(remove, &QAction::triggered, this, &ProbesPage::removeChosen);
    connect(button, &QPushButton::clicked, this, &ProbesPage::removeChosen);
    return part;
}

QWidget* ProbesPage::buildContent() {
    auto* content = new QSplitter(Qt::Vertical, this);
    content->setChildrenCollapsible(false);
    results_ = makeTable(content, QStringLiteral("probeResults"),
                         {tr("probe"), tr("shape"), tr("kept"), tr("min"), tr("max"), tr("mean"),
                          tr("norm"), tr("kurtosis"), tr("NaN"), tr("Inf"), tr("calls")});
    results_->setAccessibleName(tr("What the probes saw"));
    results_->horizontalHeader()->setStretchLastSection(false);
    auto* below = new QWidget(content);
    note_ = new QLabel(below);
    note_->setObjectName(QStringLiteral("probeNote"));
    note_->setWordWrap(true);
    panel_ = new HeatmapPanel(below);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(note_);
    column->addWidget(panel_, 1);
    content->addWidget(results_);
    content->addWidget(below);
    content->setStretchFactor(0, 1);
    content->setStretchFactor(1, 3);
    connect(results_, &QTableWidget::itemSelectionChanged, this, &ProbesPage::chooseCapture);
    return content;
}

void ProbesPage::setCursorModel(CursorModel* cursor) {
    panel_->setCursorModel(cursor);
}

void ProbesPage::setModules(const QStringList& names) {
    form_->setModules(names);
}

void ProbesPage::setSources(int count) {
    form_->setSources(count);
}

bool ProbesPage::statisticsOnly() const {
    return statistics_->isChecked();
}

void ProbesPage::setProbes(const QStringList& probes, const QStringList& edits) {
    const bool edits_changed = edits != edits_;
    probes_ = probes;
    edits_ = edits;
    fillList();
    refreshProblem();
    if (edits_changed) {
        Q_EMIT editsChanged();
    }
    Q_EMIT probesChanged();
}

void ProbesPage::add() {
    const QString text = form_->text();
    QStringList probes = probes_;
    QStringList edits = edits_;
    if (form_->isEdit()) {
        edits << text;
    } else if (!probes.contains(text)) {
        probes << text;
    }
    setProbes(probes, edits);
}

void ProbesPage::toggleProbe(const QString& module) {
    const QString text = module + QStringLiteral("@all");
    QStringList probes = probes_;
    if (probes.removeAll(text) == 0) {
        probes << text;
    }
    setProbes(probes, edits_);
}

void ProbesPage::removeChosen() {
    const int row = list_->currentRow();
    if (row < 0) {
        return;
    }
    QStringList probes = probes_;
    QStringList edits = edits_;
    if (row < probes.size()) {
        probes.removeAt(row);
    } else {
        edits.removeAt(row - probes.size());
    }
    setProbes(probes, edits);
    list_->selectRow(std::min(row, list_->rowCount() - 1));
}

void ProbesPage::fillList() {
    std::vector<QStringList> rows;
    for (const QString& probe : probes_) {
        rows.push_back({tr("probe"), probe});
    }
    for (const QString& edit : edits_) {
        rows.push_back({tr("EDIT"), edit});
    }
    fillTable(*list_, rows);
    list_->setFixedHeight(heightOfRows(*list_, 3));
    list_->setVisible(!rows.empty());
    if (!rows.empty() && list_->currentRow() < 0) {
        list_->selectRow(0);
    }
    findChild<QPushButton*>(QStringLiteral("probeRemove"))->setVisible(!rows.empty());
}

void ProbesPage::refreshProblem() {
    setSettingsProblem(probes_.isEmpty() ? tr("No probe is set: name a module and add it.")
                                         : QString());
}

void ProbesPage::setProbeEstimate(const ProbeEstimate& estimate) {
    if (!estimate.problem.isEmpty()) {
        setSettingsProblem(estimate.problem);
        return;
    }
    refreshProblem();
    if (probes_.isEmpty()) {
        setEstimate({});
        return;
    }
    setEstimate(tr("Modules watched: %1. To be kept: %2.")
                    .arg(QLocale().toString(static_cast<qint64>(estimate.modules.size())),
                         compactBytes(estimate.bytes)),
                estimate.bytes > qint64(2'000'000'000));
}

void ProbesPage::setProbed(ProbesPointer probed) {
    probed_ = std::move(probed);
    panel_->setMap(nullptr);
    if (!probed_) {
        clearResult();
        return;
    }
    std::vector<QStringList> rows;
    const QLocale locale;
    for (const ProbeCapture& capture : probed_->captures) {
        const TensorStatistics& s = capture.statistics;
        rows.push_back({capture.name, shapeText(capture.fullShape), compactBytes(capture.bytes),
                        numberText(s.minimum), numberText(s.maximum), numberText(s.mean),
                        numberText(s.norm), numberText(s.kurtosis), locale.toString(s.nanCount),
                        locale.toString(s.infinityCount), locale.toString(s.calls)});
    }
    {
        const QSignalBlocker blocker(results_);
        fillTable(*results_, rows);
        results_->setColumnWidth(0, std::min(results_->columnWidth(0), 320));
        results_->setMaximumHeight(heightOfRows(*results_, 8));
    }
    showResult(probed_->edits);
    if (!rows.empty()) {
        const QSignalBlocker blocker(results_);
        results_->selectRow(0);
    }
    chooseCapture();
}

void ProbesPage::chooseCapture() {
    const int row = results_->currentRow();
    panel_->hide();
    if (!probed_ || row < 0) {
        note_->clear();
        return;
    }
    const ProbeCapture& capture = probed_->captures[static_cast<std::size_t>(row)];
    if (capture.values.isEmpty()) {
        note_->setText(tr("Only the statistics of this probe were kept."));
        note_->show();
        return;
    }
    note_->setText(tr("Preparing the view…"));
    note_->show();
    Q_EMIT captureWanted(row);
}

void ProbesPage::setCaptureMap(int capture, const HeatmapPointer& map) {
    if (capture == results_->currentRow()) {
        note_->hide();
        panel_->setMap(map);
        panel_->show();
    }
}

}  // namespace earscope
