#include "widgets/look/layers_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/histogram_view.h"
#include "widgets/look/number_list.h"
#include "widgets/look/scatter_view.h"
#include "widgets/look/twin_view.h"
#include "widgets/look/wrap_layout.h"
#include "widgets/model/display_text.h"
#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/tokens/token_table_model.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

constexpr int kRowRole = Qt::UserRole;

}  // namespace

LayersPage::LayersPage(QWidget* parent)
    : LookPage(tr("Read layers"),
               tr("Shows what every hidden state of the language model holds at every position."),
               parent) {
    layers_ = new QLineEdit(this);
    layers_->setObjectName(QStringLiteral("layersKept"));
    layers_->setMaximumWidth(140);
    layers_->setToolTip(
        tr("Hidden states kept whole, for dimensions, similarity and scatter: 0, 12, -1 or 0-7 or "
           "all. 0 is the decoder's input, k the output of block k-1; the last is the state after "
           "the final norm."));
    addSetting(tr("Keep &whole:"), layers_);
    connect(layers_, &QLineEdit::textChanged, this, &LayersPage::refreshEstimate);
    setContent(buildContent());
}

QWidget* LayersPage::buildChoice() {
    auto* bar = new QWidget(this);
    auto* row = new WrapLayout(bar);
    view_ = new QComboBox(bar);
    view_->setObjectName(QStringLiteral("layersView"));
    view_->setAccessibleName(tr("View"));
    const auto offer = [this](const QString& text, LayerViewKind kind) {
        view_->addItem(text, static_cast<int>(kind));
    };
    offer(tr("Norm, layer × position"), LayerViewKind::Norm);
    offer(tr("Cosine to the layer before"), LayerViewKind::CosineToBefore);
    offer(tr("Cosine to a pinned position"), LayerViewKind::CosineToPinned);
    offer(tr("Dimension × position"), LayerViewKind::Dimensions);
    offer(tr("Token × token cosine"), LayerViewKind::Similarity);
    offer(tr("Histogram of values"), LayerViewKind::Histogram);
    offer(tr("Largest dimensions"), LayerViewKind::Largest);
    offer(tr("Scatter of tokens (PCA)"), LayerViewKind::Scatter);
    states_ = new QComboBox(bar);
    states_->setObjectName(QStringLiteral("layersStates"));
    states_->setAccessibleName(tr("Layer or stream"));
    states_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    source_ = new QComboBox(bar);
    source_->setObjectName(QStringLiteral("layersSource"));
    source_->setAccessibleName(tr("Source"));
    source_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    pin_ = new QPushButton(tr("Pin position"), bar);
    pin_->setObjectName(QStringLiteral("layersPin"));
    pin_->setToolTip(tr("Compares every position with the one of the current cell."));
    for (QWidget* part : std::initializer_list<QWidget*>{view_, states_, source_, pin_}) {
        row->addWidget(part);
    }
    connect(view_, &QComboBox::currentIndexChanged, this, &LayersPage::wantView);
    connect(states_, &QComboBox::currentIndexChanged, this, &LayersPage::wantView);
    connect(source_, &QComboBox::currentIndexChanged, this, &LayersPage::wantView);
    connect(pin_, &QPushButton::clicked, this, &LayersPage::pin);
    return bar;
}

QWidget* LayersPage::buildScatter() {
    scatter_ = new ScatterView(this);
    scatter_->setObjectName(QStringLiteral("layersScatter"));
    QTableWidget* points = makeTable(this, QStringLiteral("layersPoints"),
                                     {tr("token"), tr("seconds"), tr("PC1"), tr("PC2")});
    points->setAccessibleName(tr("Principal components as numbers"));
    scatter_bar_ = new ColorBar(this);
    scatter_bar_->setUnit(tr("seconds"));
    auto* plot = new QWidget(this);
    auto* row = new QHBoxLayout(plot);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(scatter_, 1);
    row->addWidget(scatter_bar_);
    scatter_twin_ = new TwinView(plot, points, this);
    neighbours_ = makeTable(this, QStringLiteral("layersNeighbours"),
                            {tr("nearest"), tr("seconds"), tr("cosine")});
    neighbours_->setAccessibleName(tr("Tokens most like the one under the cursor"));
    neighbours_->setToolTip(tr("Tokens most like the one under the cursor, by cosine."));
    auto* play = new QPushButton(tr("Play this point"), this);
    play->setObjectName(QStringLiteral("layersPlay"));
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(play);
    column->addWidget(neighbours_, 1);
    auto* page = new QSplitter(Qt::Horizontal, this);
    page->addWidget(scatter_twin_);
    page->addWidget(side);
    page->setStretchFactor(0, 3);
    page->setStretchFactor(1, 2);
    page->setChildrenCollapsible(false);
    connect(play, &QPushButton::clicked, this, &LayersPage::playRequested);
    connect(points, &QTableWidget::itemSelectionChanged, this, [this, points] { goToRow(points); });
    connect(neighbours_, &QTableWidget::itemActivated, this, [this] { goToRow(neighbours_); });
    connect(neighbours_, &QTableWidget::itemClicked, this, [this] { goToRow(neighbours_); });
    return page;
}

QWidget* LayersPage::buildContent() {
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(buildChoice());
    note_ = new QLabel(content);
    note_->setObjectName(QStringLiteral("layersNote"));
    note_->setWordWrap(true);
    layout->addWidget(note_);
    panel_ = new HeatmapPanel(content);
    histogram_ = new HistogramView(content);
    QTableWidget* bins =
        makeTable(content, QStringLiteral("layersBins"), {tr("from"), tr("to"), tr("values")});
    bins->setAccessibleName(tr("Histogram as numbers"));
    histogram_twin_ = new TwinView(histogram_, bins, content);
    largest_ = makeTable(content, QStringLiteral("layersLargest"),
                         {tr("dimension"), tr("value"), tr("mean"), tr("rms"), tr("where")});
    largest_->setAccessibleName(tr("Dimensions with the largest values"));
    connect(largest_, &QTableWidget::itemSelectionChanged, this, [this] { goToRow(largest_); });
    scatter_page_ = buildScatter();
    pages_ = new QStackedWidget(content);
    for (QWidget* page :
         std::initializer_list<QWidget*>{panel_, histogram_twin_, largest_, scatter_page_}) {
        pages_->addWidget(page);
    }
    layout->addWidget(pages_, 1);
    return content;
}

void LayersPage::setCursorModel(CursorModel* cursor) {
    cursor_ = cursor;
    panel_->setCursorModel(cursor);
    scatter_->setCursorModel(cursor);
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, [this] {
            if (cursor_->isLocked()) {
                showNeighbours();
            }
        });
    }
}

void LayersPage::setModel(int blocks, int width) {
    blocks_ = blocks;
    width_ = width;
    // Few by default: all states of a long source are gigabytes.
    layers_->setText(blocks > 2 ? QStringLiteral("0, %1, -1").arg(blocks / 2)
                                : QStringLiteral("all"));
    refreshEstimate();
}

void LayersPage::setPositions(int positions) {
    positions_ = positions;
    refreshEstimate();
}

void LayersPage::setSourceNames(const QStringList& names) {
    const QSignalBlocker blocker(source_);
    const int before = std::max(0, source_->currentIndex());
    source_->clear();
    for (int i = 0; i < names.size(); ++i) {
        source_->addItem(tr("%1: %2").arg(QString::number(i + 1), names[i]));
    }
    source_->setCurrentIndex(std::min(before, source_->count() - 1));
}

std::vector<int> LayersPage::layers() const {
    // Only the statistics when the field is empty.
    return layers_->text().trimmed().isEmpty()
               ? std::vector<int>{}
               : readNumbers(layers_->text(), blocks_ + 1, tr("hidden state")).numbers;
}

void LayersPage::refreshEstimate() {
    const bool none = layers_->text().trimmed().isEmpty();
    const NumberList list =
        none ? NumberList{} : readNumbers(layers_->text(), blocks_ + 1, tr("hidden state"));
    setSettingsProblem(blocks_ > 0 ? list.problem : QString());
    if (blocks_ == 0 || positions_ == 0) {
        setEstimate({});
        return;
    }
    const auto kept = static_cast<qint64>(list.numbers.size());
    const qint64 bytes = kept * positions_ * width_ * 4;
    setEstimate(
        tr("Keeps %1 of %2 hidden states × %3 positions × %4 numbers: %5.")
            .arg(QString::number(kept), QString::number(blocks_ + 1),
                 QLocale().toString(positions_), QLocale().toString(width_), compactBytes(bytes)),
        bytes > qint64(2'000'000'000));
}

void LayersPage::setData(LayersPointer data) {
    data_ = std::move(data);
    {
        const QSignalBlocker blocker(states_);
        const int before = std::max(0, states_->currentIndex());
        states_->clear();
        for (std::size_t i = 0; data_ && i < data_->states.size(); ++i) {
            states_->addItem(data_->states[i].name);
        }
        states_->setCurrentIndex(std::min(before, states_->count() - 1));
    }
    shown_ = {};
    if (data_) {
        showResult(data_->value.edits);
        wantView();
    } else {
        clearResult();
    }
}

void LayersPage::chooseView(LayerViewKind kind) {
    view_->setCurrentIndex(view_->findData(static_cast<int>(kind)));
}

LayerViewRequest LayersPage::request() const {
    LayerViewRequest request;
    request.kind = static_cast<LayerViewKind>(view_->currentData().toInt());
    request.states = std::max(0, states_->currentIndex());
    request.source = std::max(0, source_->currentIndex());
    request.pinned = pinned_;
    return request;
}

void LayersPage::wantView() {
    if (!data_) {
        return;
    }
    LayerViewRequest wanted = request();
    const bool one_state = wanted.kind != LayerViewKind::Norm &&
                           wanted.kind != LayerViewKind::CosineToBefore &&
                           wanted.kind != LayerViewKind::CosineToPinned;
    states_->setVisible(one_state && states_->count() > 0);
    source_->setVisible(wanted.kind == LayerViewKind::Similarity ||
                        wanted.kind == LayerViewKind::Scatter);
    pin_->setVisible(!one_state || wanted.kind == LayerViewKind::Dimensions);
    if (cursor_ && cursor_->point().source == wanted.source) {
        wanted.around = std::max(0, cursor_->token());
    }
    note_->setText(tr("Preparing the view…"));
    note_->show();
    Q_EMIT viewWanted(wanted);
}

void LayersPage::setView(const LayerView& view) {
    LayerViewRequest wanted = request();
    wanted.around = view.request.around;
    if (!(view.request == wanted) || !data_) {
        return;
    }
    shown_ = view;
    note_->setText(view.problem);
    note_->setVisible(!view.problem.isEmpty());
    pages_->setVisible(view.problem.isEmpty());
    if (view.map) {
        panel_->setMap(view.map);
        pages_->setCurrentWidget(panel_);
    } else if (view.histogram) {
        showHistogram(view);
    } else if (view.scatter) {
        showScatter(view);
    } else if (view.problem.isEmpty()) {
        showLargest(view);
    }
}

void LayersPage::pin() {
    const Heatmap* map = panel_->view()->map();
    const qint64 column = panel_->view()->currentColumn();
    if (map == nullptr || column < 0 || !map->columns.tokens) {
        note_->setText(tr("Choose a cell first: click into the map or use the arrow keys."));
        note_->show();
        return;
    }
    pinned_ = static_cast<int>(column);
    if (request().kind == LayerViewKind::CosineToPinned) {
        wantView();
    } else {
        chooseView(LayerViewKind::CosineToPinned);
    }
}

void LayersPage::showHistogram(const LayerView& view) {
    histogram_->setHistogram(view.histogram);
    const Histogram& histogram = *view.histogram;
    const double step =
        (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
    std::vector<QStringList> rows;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double low = histogram.low + static_cast<double>(i) * step;
        rows.push_back(
            {numberText(low), numberText(low + step), QLocale().toString(histogram.counts[i])});
    }
    fillTable(*histogram_twin_->table(), rows);
    pages_->setCurrentWidget(histogram_twin_);
}

void LayersPage::showLargest(const LayerView& view) {
    const QSignalBlocker blocker(largest_);
    const NamedStates& states = data_->states[static_cast<std::size_t>(view.request.states)];
    std::vector<QStringList> rows;
    for (const LargeDimension& d : view.largest) {
        rows.push_back({QString::number(d.dimension), numberText(static_cast<double>(d.value)),
                        numberText(d.mean), numberText(d.rms),
                        tokenDescription((*states.tokens)[static_cast<std::size_t>(d.row)])});
    }
    fillTable(*largest_, rows);
    for (int i = 0; i < largest_->rowCount(); ++i) {
        largest_->item(i, 0)->setData(kRowRole, view.largest[static_cast<std::size_t>(i)].row);
    }
    pages_->setCurrentWidget(largest_);
}

void LayersPage::showScatter(const LayerView& view) {
    scatter_->setScatter(view.scatter);
    const std::vector<TokenValue>& shown = *view.scatter->tokens;
    scatter_bar_->setLimits({static_cast<float>(shown.front().startSeconds),
                             static_cast<float>(shown.back().endSeconds)});
    const Scatter& scatter = *view.scatter;
    const QLocale locale;
    std::vector<QStringList> rows;
    for (std::size_t i = 0; i < scatter.points.size(); ++i) {
        const TokenValue& token = (*scatter.tokens)[i];
        rows.push_back({locale.toString(token.slotRow), locale.toString(token.startSeconds, 'f', 3),
                        numberText(scatter.points[i][0]), numberText(scatter.points[i][1])});
    }
    QTableWidget* table = scatter_twin_->table();
    const QSignalBlocker blocker(table);
    fillTable(*table, rows);
    for (int i = 0; i < table->rowCount(); ++i) {
        table->item(i, 0)->setData(kRowRole, scatter.rows[static_cast<std::size_t>(i)]);
    }
    pages_->setCurrentWidget(scatter_page_);
    showNeighbours();
}

void LayersPage::showNeighbours() {
    const int point = shown_.scatter ? scatter_->currentPoint() : -1;
    if (point < 0) {
        fillTable(*neighbours_, {});
        return;
    }
    const NamedStates& states = data_->states[static_cast<std::size_t>(shown_.request.states)];
    const std::vector<int>& rows = shown_.scatter->rows;
    const std::vector<Neighbour> nearest =
        nearestRows(states.values, rows[static_cast<std::size_t>(point)], rows);
    std::vector<QStringList> texts;
    const QLocale locale;
    for (const Neighbour& neighbour : nearest) {
        const TokenValue& token = (*states.tokens)[static_cast<std::size_t>(neighbour.row)];
        texts.push_back({locale.toString(token.slotRow),
                         locale.toString(token.startSeconds, 'f', 3),
                         locale.toString(neighbour.cosine, 'f', 4)});
    }
    const QSignalBlocker blocker(neighbours_);
    fillTable(*neighbours_, texts);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        neighbours_->item(static_cast<int>(i), 0)->setData(kRowRole, nearest[i].row);
    }
}

void LayersPage::goToRow(QTableWidget* table) {
    const QTableWidgetItem* item = table->item(table->currentRow(), 0);
    if (item == nullptr || !cursor_ || !data_) {
        return;
    }
    const NamedStates& states = data_->states[static_cast<std::size_t>(shown_.request.states)];
    const auto row = static_cast<std::size_t>(item->data(kRowRole).toInt());
    if (row < states.tokens->size() && (*states.tokens)[row].tokenClass == TokenClass::Audio) {
        cursor_->lockToken((*states.tokens)[row].source, (*states.tokens)[row].slotRow);
    }
}

}  // namespace earscope
