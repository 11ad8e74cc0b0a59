#include "widgets/compare/states_view.h"

#include "widgets/embeddings/embedding_plot.h"
#include "widgets/plot/color_bar.h"
#include "widgets/plot/picture_menu.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

enum LimitsMode { Robust, Full };
constexpr int kDifference = 2;
/// Three plots side by side need this much for each, in widths of a digit.
constexpr int kPaneDigits = 34;

}  // namespace

StatesView::StatesView(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget(this)) {
    pages_->addWidget(buildEmpty());
    pages_->addWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    showEmpty(tr("Choose two runs."), false);
}

QWidget* StatesView::buildEmpty() {
    auto* page = new QWidget(this);
    empty_text_ = new QLabel(page);
    empty_text_->setObjectName(QStringLiteral("statesEmpty"));
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignCenter);
    compute_ = new QPushButton(tr("Compute for both runs"), page);
    compute_->setObjectName(QStringLiteral("computeStates"));
    connect(compute_, &QPushButton::clicked, this, &StatesView::computeRequested);
    auto* layout = new QVBoxLayout(page);
    layout->addStretch(1);
    layout->addWidget(empty_text_);
    layout->addWidget(compute_, 0, Qt::AlignCenter);
    layout->addStretch(1);
    return page;
}

QWidget* StatesView::buildToolbar() {
    auto* bar = new QWidget(this);
    source_ = new QComboBox(bar);
    source_->setObjectName(QStringLiteral("stateSource"));
    source_->setAccessibleName(tr("Source"));
    kind_ = new QComboBox(bar);
    kind_->setObjectName(QStringLiteral("stateKind"));
    kind_->setAccessibleName(tr("Embedding or hidden state"));
    limits_mode_ = new QComboBox(bar);
    limits_mode_->setObjectName(QStringLiteral("stateLimits"));
    limits_mode_->setAccessibleName(tr("Colour limits"));
    limits_mode_->addItem(tr("Robust limits"), Robust);
    limits_mode_->addItem(tr("Full limits"), Full);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(source_);
    layout->addWidget(kind_);
    layout->addWidget(limits_mode_);
    layout->addStretch(1);
    connect(source_, &QComboBox::currentIndexChanged, this, [this] {
        fillKinds();
        requestChosen();
    });
    connect(kind_, &QComboBox::currentIndexChanged, this, &StatesView::requestChosen);
    connect(limits_mode_, &QComboBox::currentIndexChanged, this, &StatesView::applyLimits);
    return bar;
}

StatesView::Pane StatesView::buildPane(int index) {
    const QString name = index == 0   ? QStringLiteral("A")
                         : index == 1 ? QStringLiteral("B")
                                      : QStringLiteral("A−B");
    Pane pane;
    pane.area = new QWidget(this);
    pane.title = new QLabel(name, pane.area);
    QFont bold = pane.title->font();
    bold.setBold(true);
    pane.title->setFont(bold);
    pane.plot = new EmbeddingPlot(pane.area);
    pane.plot->setObjectName(QStringLiteral("statePlot%1").arg(index));
    pane.plot->setNormsShown(false);
    pane.plot->setCaption(name);
    pane.bar = new ColorBar(pane.area);
    pane.reason = new QLabel(pane.area);
    pane.reason->setObjectName(QStringLiteral("stateReason%1").arg(index));
    pane.reason->setWordWrap(true);
    pane.reason->setAlignment(Qt::AlignCenter);
    auto* row = new QHBoxLayout;
    row->setSpacing(2);
    row->addWidget(pane.plot, 1);
    row->addWidget(pane.bar);
    auto* layout = new QVBoxLayout(pane.area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(pane.title);
    layout->addLayout(row, 1);
    layout->addWidget(pane.reason, 1);
    addPictureMenu(*pane.area, [this, name] {
        return QStringList{tr("%1: %2, %3").arg(name, source_->currentText(), kind_->currentText()),
                           facts_->text()}
            .join(QLatin1Char('\n'));
    });
    // One zoom for all three.
    connect(pane.plot, &EmbeddingPlot::visibleRangeChanged, this,
            [this, index](double begin, double end) {
                for (int i = 0; i < 3; ++i) {
                    if (i != index) {
                        plot(i)->setVisibleRange(begin, end);
                    }
                }
            });
    return pane;
}

QWidget* StatesView::buildContent() {
    auto* page = new QWidget(this);
    facts_ = new QLabel(page);
    facts_->setObjectName(QStringLiteral("stateFacts"));
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* inner = new QWidget(page);
    panes_layout_ = new QBoxLayout(QBoxLayout::LeftToRight, inner);
    panes_layout_->setContentsMargins(0, 0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        panes_[static_cast<std::size_t>(i)] = buildPane(i);
        panes_layout_->addWidget(panes_[static_cast<std::size_t>(i)].area, 1);
    }
    auto* scroll = new QScrollArea(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(inner);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    layout->addWidget(buildToolbar());
    layout->addWidget(scroll, 1);
    layout->addWidget(facts_);
    return page;
}

void StatesView::setCursorModel(CursorModel* cursor) {
    for (const Pane& pane : panes_) {
        pane.plot->setCursorModel(cursor);
    }
}

void StatesView::showEmpty(const QString& text, bool canCompute) {
    keys_.clear();
    setPicture(nullptr);
    empty_text_->setText(text);
    compute_->setVisible(canCompute);
    pages_->setCurrentIndex(0);
}

void StatesView::setKeys(const std::vector<PictureKey>& keys) {
    const QVariant before = source_->currentData();
    keys_ = keys;
    {
        const QSignalBlocker blocker(source_);
        source_->clear();
        for (const PictureKey& key : keys_) {
            if (source_->findData(key.source) < 0) {
                source_->addItem(tr("Source %1").arg(QLocale().toString(key.source + 1)),
                                 key.source);
            }
        }
        source_->setCurrentIndex(std::max(0, source_->findData(before)));
    }
    fillKinds();
    pages_->setCurrentIndex(1);
    requestChosen();
}

void StatesView::fillKinds() {
    const QString before = kind_->currentText();
    const QSignalBlocker blocker(kind_);
    kind_->clear();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (keys_[i].source == source_->currentData().toInt()) {
            kind_->addItem(pictureName(keys_[i]), static_cast<int>(i));
        }
    }
    kind_->setCurrentIndex(std::max(0, kind_->findText(before)));
}

void StatesView::choose(const PictureKey& key) {
    source_->setCurrentIndex(source_->findData(key.source));
    kind_->setCurrentIndex(kind_->findText(pictureName(key)));
}

void StatesView::requestChosen() {
    const QVariant index = kind_->currentData();
    if (index.isValid()) {
        Q_EMIT pictureRequested(keys_[static_cast<std::size_t>(index.toInt())]);
    }
}

void StatesView::setPicture(Picture picture) {
    picture_ = std::move(picture);
    const std::array<std::shared_ptr<const EmbeddingMatrix>, 3> matrices{
        picture_ ? picture_->a : nullptr, picture_ ? picture_->b : nullptr,
        picture_ ? picture_->difference : nullptr};
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        panes_[i].plot->setMatrix(matrices[i]);
        const bool there = matrices[i] != nullptr;
        panes_[i].plot->setVisible(there);
        panes_[i].bar->setVisible(there);
        panes_[i].reason->setVisible(!there);
        panes_[i].reason->setText(i == kDifference ? (picture_ ? picture_->reason : QString())
                                                   : tr("This run has no such tensor."));
    }
    applyLimits();
}

void StatesView::applyLimits() {
    if (!picture_) {
        facts_->clear();
        return;
    }
    const bool robust = limits_mode_->currentData().toInt() == Robust;
    const ColorLimits common = robust ? picture_->robust : picture_->full;
    const ColorMapId map = ColorMap::diverging(palette()).id();
    for (int i = 0; i < 2; ++i) {
        plot(i)->setLimits(common);
        panes_[static_cast<std::size_t>(i)].bar->setMap(map);
        panes_[static_cast<std::size_t>(i)].bar->setLimits(common);
    }
    const QLocale locale;
    QString text =
        robust ? tr("A and B share one scale, ±%1, from p0.5…p99.5 of the wider of the two.")
                     .arg(locale.toString(common.high, 'g', 4))
               : tr("A and B share one scale, ±%1, the largest absolute value of both.")
                     .arg(locale.toString(common.high, 'g', 4));
    if (picture_->difference) {
        const ColorLimits limits =
            robust ? picture_->difference->robust : picture_->difference->full;
        plot(kDifference)->setLimits(limits);
        panes_[kDifference].bar->setMap(map);
        panes_[kDifference].bar->setLimits(limits);
        text += QLatin1Char(' ') +
                (picture_->largest > 0
                     ? tr("A−B has a scale of its own, ±%1; its largest absolute value is %2.")
                           .arg(locale.toString(limits.high, 'g', 4),
                                locale.toString(picture_->largest, 'g', 4))
                     : tr("A and B are equal in every number."));
    }
    facts_->setText(text);
}

void StatesView::arrange() {
    const int wanted = 3 * kPaneDigits * fontMetrics().horizontalAdvance(QLatin1Char('0'));
    panes_layout_->setDirection(width() >= wanted ? QBoxLayout::LeftToRight
                                                  : QBoxLayout::TopToBottom);
}

void StatesView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void StatesView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        applyLimits();
    }
}

}  // namespace earscope
