#include "widgets/look/lens_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/number_list.h"
#include "widgets/look/twin_view.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/tokens/token_table_model.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

/// Readings beyond which a run is felt: each is a product with the whole output head.
constexpr qint64 kManyReadings = 20'000;

}  // namespace

LensPage::LensPage(QWidget* parent)
    : LookPage(tr("Read lens"),
               tr("Shows what the model would say if it stopped at a layer: final norm and output "
                  "head applied to the hidden states, second by second."),
               parent) {
    layers_ = new QLineEdit(this);
    layers_->setObjectName(QStringLiteral("lensLayers"));
    layers_->setMaximumWidth(140);
    layers_->setToolTip(tr("Hidden states to read: 0, 12, -1 or 0-7 or all."));
    positions_ = new QComboBox(this);
    positions_->setObjectName(QStringLiteral("lensPositions"));
    positions_->addItem(tr("audio"), QStringLiteral("audio"));
    positions_->addItem(tr("last of the prompt"), QStringLiteral("last"));
    positions_->addItem(tr("all"), QStringLiteral("all"));
    top_k_ = new QSpinBox(this);
    top_k_->setObjectName(QStringLiteral("lensTopK"));
    top_k_->setRange(1, 50);
    top_k_->setValue(5);
    addSetting(tr("&Layers:"), layers_);
    addSetting(tr("&Positions:"), positions_);
    addSetting(tr("Top:"), top_k_);
    setContent(buildContent());
    connect(layers_, &QLineEdit::textChanged, this, &LensPage::refreshEstimate);
    connect(positions_, &QComboBox::currentIndexChanged, this, &LensPage::refreshEstimate);
}

QWidget* LensPage::buildContent() {
    auto* content = new QSplitter(Qt::Horizontal, this);
    content->setChildrenCollapsible(false);
    panel_ = new HeatmapPanel(content);
    model_ = new LensTableModel(this);
    panel_->setTwin(model_);
    QTableView* table = panel_->table();
    table->setAccessibleName(tr("Top token of each layer at each position"));
    table->horizontalHeader()->setDefaultSectionSize(
        table->fontMetrics().horizontalAdvance(QStringLiteral("pos. 00000 ")) + 8);
    table->horizontalHeader()->setFixedHeight(2 * table->fontMetrics().height() + 8);
    panel_->showTable(true);
    auto* side = new QWidget(content);
    answer_ = new QLabel(side);
    answer_->setObjectName(QStringLiteral("lensAnswer"));
    answer_->setWordWrap(true);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    choices_ = makeTable(side, QStringLiteral("lensChoices"),
                         {tr("token"), tr("probability"), tr("log-prob."), tr("id")});
    choices_->setAccessibleName(tr("Most probable tokens of the current cell"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(answer_);
    column->addWidget(choices_, 1);
    content->addWidget(panel_);
    content->addWidget(side);
    content->setStretchFactor(0, 3);
    content->setStretchFactor(1, 2);
    content->setSizes({600, 400});  // shares: by itself the table of choices would be cut off
    connect(panel_, &HeatmapPanel::currentChanged, this, &LensPage::showCell);
    return content;
}

void LensPage::setCursorModel(CursorModel* cursor) {
    panel_->setCursorModel(cursor);
}

void LensPage::setModel(int blocks) {
    blocks_ = blocks;
    QStringList few;
    const int step = std::max(1, (blocks + 7) / 8);
    for (int layer = 0; layer < blocks; layer += step) {
        few << QString::number(layer);
    }
    few << QString::number(blocks);
    layers_->setText(few.join(QStringLiteral(", ")));
    refreshEstimate();
}

void LensPage::setPositions(int all, int audio) {
    all_ = all;
    audio_ = audio;
    refreshEstimate();
}

std::vector<int> LensPage::layers() const {
    return readNumbers(layers_->text(), blocks_ + 1, tr("hidden state")).numbers;
}

QString LensPage::positions() const {
    return positions_->currentData().toString();
}

int LensPage::topK() const {
    return top_k_->value();
}

void LensPage::refreshEstimate() {
    const NumberList list = readNumbers(layers_->text(), blocks_ + 1, tr("hidden state"));
    setSettingsProblem(blocks_ > 0 ? list.problem : QString());
    if (blocks_ == 0 || all_ == 0) {
        setEstimate({});
        return;
    }
    const QString where = positions();
    const int positions = where == QLatin1String("audio") ? audio_
                          : where == QLatin1String("all") ? all_
                                                          : 1;
    const auto layers = static_cast<qint64>(list.numbers.size());
    setEstimate(tr("%1 layers × %2 positions: %3 readings of the output head.")
                    .arg(QLocale().toString(layers), QLocale().toString(positions),
                         QLocale().toString(layers * positions)),
                layers * positions > kManyReadings);
}

void LensPage::setLens(LensPointer lens) {
    lens_ = std::move(lens);
    map_ = lens_ ? lensMap(*lens_) : nullptr;
    model_->setLens(lens_, map_);
    // A locked cursor chooses a column of the new map, and row 0 with it if there was no row.
    const bool fresh = panel_->view()->currentRow() < 0;
    panel_->setMap(map_);
    if (!lens_) {
        clearResult();
        return;
    }
    showResult(lens_->edits);
    HeatmapView* view = panel_->view();
    if (fresh || view->currentRow() < 0) {
        view->setCurrent(static_cast<qint64>(lens_->layers.size()) - 1,
                         std::max<qint64>(0, view->currentColumn()));
    }
    showCell(view->currentRow(), view->currentColumn());
}

void LensPage::showCell(qint64 row, qint64 column) {
    if (!lens_ || row < 0 || column < 0) {
        return;
    }
    const auto l = static_cast<std::size_t>(row);
    const auto n = static_cast<std::size_t>(column);
    const std::vector<LensChoice>& choices = lens_->choices[l][n];
    const TokenValue& token = lens_->positions[n];
    const QLocale locale;
    const QString where =
        token.startSeconds >= 0
            ? tr("At %1 of source %2").arg(tokenSpanText(token), locale.toString(token.source + 1))
            : tr("At position %1").arg(locale.toString(token.position));
    const QString layer = lens_->layers[l] == blocks_ ? tr("the end of the model")
                                                      : tr("hidden state %1").arg(lens_->layers[l]);
    answer_->setText(choices.empty()
                         ? QString()
                         : tr("%1, %2 says “%3” (%4 %).")
                               .arg(where, layer, readablePiece(choices.front().piece),
                                    locale.toString(100 * std::exp(static_cast<double>(
                                                              choices.front().logProbability)),
                                                    'f', 1)));
    std::vector<QStringList> rows;
    for (const LensChoice& choice : choices) {
        const auto log = static_cast<double>(choice.logProbability);
        rows.push_back({QStringLiteral("“%1”").arg(readablePiece(choice.piece)),
                        tr("%1 %").arg(locale.toString(100 * std::exp(log), 'f', 2)),
                        locale.toString(log, 'f', 3), locale.toString(choice.id)});
    }
    fillTable(*choices_, rows);
}

QString LensPage::answerText() const {
    return answer_->text();
}

}  // namespace earscope
