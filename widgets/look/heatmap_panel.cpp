#include "widgets/look/heatmap_panel.h"

#include "widgets/look/heatmap_view.h"
#include "widgets/look/matrix_table_model.h"
#include "widgets/look/wrap_layout.h"
#include "widgets/plot/color_bar.h"

#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace earscope {
namespace {

enum LimitsMode { Robust, Full };

}  // namespace

HeatmapPanel::HeatmapPanel(QWidget* parent) : QWidget(parent) {
    view_ = new HeatmapView(this);
    view_->setObjectName(QStringLiteral("heatmapView"));
    bar_ = new ColorBar(this);
    about_ = new QLabel(this);
    about_->setObjectName(QStringLiteral("heatmapAbout"));
    about_->setWordWrap(true);
    limits_text_ = new QLabel(this);
    limits_text_->setObjectName(QStringLiteral("heatmapLimits"));
    limits_text_->setWordWrap(true);
    // Two lines where it is narrow: a splitter does not ask how high a text gets.
    limits_text_->setMinimumHeight(2 * fontMetrics().lineSpacing());
    limits_text_->setAlignment(Qt::AlignTop);
    limits_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    buildTable();
    auto* picture = new QWidget(this);
    auto* row = new QHBoxLayout(picture);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(view_, 1);
    row->addWidget(bar_);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(picture);
    pages_->addWidget(table_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(buildTools());
    layout->addWidget(pages_, 1);
    layout->addWidget(about_);
    layout->addWidget(limits_text_);
    setMap(nullptr);
    connect(view_, &HeatmapView::currentChanged, this, [this](qint64 r, qint64 c) {
        if (!syncing_) {
            syncing_ = true;
            const QAbstractItemModel* model = table_->model();
            table_->setCurrentIndex(model->index(static_cast<int>(r), static_cast<int>(c)));
            syncing_ = false;
        }
        Q_EMIT currentChanged(r, c);
    });
}

void HeatmapPanel::buildTable() {
    model_ = new MatrixTableModel(this);
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("heatmapTable"));
    table_->setAccessibleName(tr("Numbers of the heatmap"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
    setTwin(model_);
}

void HeatmapPanel::setTwin(QAbstractItemModel* model) {
    own_table_ = model == model_;
    QItemSelectionModel* before = table_->selectionModel();
    table_->setModel(model);
    delete before;
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid() && !syncing_) {
                    syncing_ = true;
                    view_->setCurrent(index.row(), index.column());
                    view_->lockCurrent();
                    syncing_ = false;
                }
            });
}

QWidget* HeatmapPanel::buildTools() {
    auto* bar = new QWidget(this);
    limits_mode_ = new QComboBox(bar);
    limits_mode_->setObjectName(QStringLiteral("heatmapLimitsMode"));
    limits_mode_->setAccessibleName(tr("Colour limits"));
    limits_mode_->addItem(tr("Robust limits"), Robust);
    limits_mode_->addItem(tr("Full limits"), Full);
    limits_mode_->setToolTip(
        tr("Robust leaves out the outermost half percent at each end, so that a few huge values "
           "do not blank the rest; what lies beyond is hatched."));
    fit_ = new QToolButton(bar);
    fit_->setText(tr("Fit"));
    fit_->setToolTip(tr("Shows the whole matrix (F)."));
    as_table_ = new QToolButton(bar);
    as_table_->setObjectName(QStringLiteral("heatmapAsTable"));
    as_table_->setText(tr("Table"));
    as_table_->setCheckable(true);
    as_table_->setToolTip(tr("Shows the same cells as a table."));
    auto* copy = new QToolButton(bar);
    copy->setText(tr("Copy picture"));
    copy->setToolTip(tr("Copies this view with its axes, colour bar and limits."));
    auto* layout = new WrapLayout(bar);
    for (QWidget* tool : std::initializer_list<QWidget*>{limits_mode_, fit_, as_table_, copy}) {
        layout->addWidget(tool);
    }
    connect(limits_mode_, &QComboBox::currentIndexChanged, this, &HeatmapPanel::applyLimits);
    connect(fit_, &QToolButton::clicked, view_, &HeatmapView::fit);
    connect(as_table_, &QToolButton::toggled, this, &HeatmapPanel::showTable);
    connect(copy, &QToolButton::clicked, this, &HeatmapPanel::copyPicture);
    return bar;
}

void HeatmapPanel::showTable(bool table) {
    as_table_->setChecked(table);
    pages_->setCurrentIndex(table ? 1 : 0);
    // Colours, their limits and the zoom are the picture's.
    for (QWidget* part : std::initializer_list<QWidget*>{limits_mode_, fit_, limits_text_}) {
        part->setVisible(!table);
    }
}

void HeatmapPanel::copyPicture() {
    QGuiApplication::clipboard()->setPixmap(grab());
}

void HeatmapPanel::setCursorModel(CursorModel* cursor) {
    view_->setCursorModel(cursor);
}

void HeatmapPanel::setMap(HeatmapPointer map) {
    map_ = std::move(map);
    if (own_table_) {
        model_->setMap(map_);
        const bool details = map_ && map_->columns.tokens;
        table_->horizontalHeader()->setDefaultSectionSize(
            table_->fontMetrics().horizontalAdvance(QStringLiteral(" -0.0000e+00 ")));
        table_->horizontalHeader()->setFixedHeight(
            table_->fontMetrics().height() * (details ? 2 : 1) + 8);
    }
    view_->setMap(map_);
    about_->setText(map_ ? map_->about : QString());
    about_->setVisible(!about_->text().isEmpty());
    applyLimits();
}

void HeatmapPanel::setPreparing() {
    setMap(nullptr);
    about_->setText(tr("Preparing the view…"));
    about_->show();
}

void HeatmapPanel::applyLimits() {
    if (!map_ || map_->values.isEmpty()) {
        limits_text_->clear();
        return;
    }
    const bool fixed = map_->scale == ValueScale::Cosine;
    limits_mode_->setEnabled(!fixed);
    const bool robust = limits_mode_->currentData().toInt() == Robust;
    const ColorLimits& limits = robust ? map_->robust : map_->full;
    const QLocale locale;
    QString text = tr("%1: %2 … %3")
                       .arg(map_->valueName, numberText(static_cast<double>(limits.low)),
                            numberText(static_cast<double>(limits.high)));
    if (fixed) {
        text += tr(", fixed.");
    } else if (robust) {
        text += tr(", p0.5…p99.5 of this view; %1 of %2 cells lie beyond (hatched).")
                    .arg(locale.toString(map_->outsideRobust),
                         locale.toString(static_cast<qint64>(map_->values.data->size())));
    } else {
        text += tr(", all values; no cell lies beyond.");
    }
    if (map_->notFinite > 0) {
        text += QLatin1Char(' ') +
                tr("%1 values are not finite.").arg(locale.toString(map_->notFinite));
    }
    text += QLatin1Char(' ') +
            (map_->isDiverging() ? tr("Cells that share a pixel: the one farthest from 0 is drawn.")
                                 : tr("Cells that share a pixel: the largest is drawn."));
    limits_text_->setText(text);
    view_->setLimits(limits);
    bar_->setMap(map_->isDiverging() ? ColorMap::diverging(palette()).id() : ColorMapId::Viridis);
    bar_->setUnit(map_->valueName);
    bar_->setLimits(limits);
}

QString HeatmapPanel::limitsText() const {
    return limits_text_->text();
}

void HeatmapPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        applyLimits();
    }
    QWidget::changeEvent(event);
}

}  // namespace earscope
