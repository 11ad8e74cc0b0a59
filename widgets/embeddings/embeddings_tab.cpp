#include "widgets/embeddings/embeddings_tab.h"

#include "widgets/embeddings/embedding_plot.h"
#include "widgets/model/display_text.h"
#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/plot/picture_menu.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

enum LimitsMode { Robust, Full };

/// A line that stands out: amber by its palette, and by its words.
QLabel* banner(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setAutoFillBackground(true);
    label->setMargin(4);
    label->setBackgroundRole(QPalette::ToolTipBase);
    label->setForegroundRole(QPalette::ToolTipText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->hide();
    return label;
}

}  // namespace

EmbeddingsTab::EmbeddingsTab(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget(this)) {
    pages_->addWidget(buildEmpty());
    pages_->addWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    showEmpty(tr("Not extracted yet."), false);
}

QWidget* EmbeddingsTab::buildEmpty() {
    auto* page = new QWidget(this);
    empty_text_ = new QLabel(page);
    empty_text_->setObjectName(QStringLiteral("embeddingsEmpty"));
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignCenter);
    empty_extract_ = new QPushButton(tr("Extract embeddings"), page);
    empty_extract_->setObjectName(QStringLiteral("extractEmpty"));
    connect(empty_extract_, &QPushButton::clicked, this, &EmbeddingsTab::extractRequested);
    auto* layout = new QVBoxLayout(page);
    layout->addStretch(1);
    layout->addWidget(empty_text_);
    layout->addWidget(empty_extract_, 0, Qt::AlignCenter);
    layout->addStretch(1);
    return page;
}

QWidget* EmbeddingsTab::buildToolbar() {
    auto* bar = new QWidget(this);
    source_ = new QComboBox(bar);
    source_->setObjectName(QStringLiteral("embeddingSource"));
    source_->setAccessibleName(tr("Source"));
    source_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    source_->setMinimumContentsLength(10);
    kind_ = new QComboBox(bar);
    kind_->setObjectName(QStringLiteral("embeddingKind"));
    kind_->setAccessibleName(tr("Kind of embedding"));
    limits_mode_ = new QComboBox(bar);
    limits_mode_->setObjectName(QStringLiteral("limitsMode"));
    limits_mode_->setAccessibleName(tr("Colour limits"));
    limits_mode_->addItem(tr("Robust limits"), Robust);
    limits_mode_->addItem(tr("Full limits"), Full);
    limits_mode_->setToolTip(
        tr("Robust leaves out the outermost half percent at each end, so that a few huge values "
           "do not blank the rest."));
    auto* fit = new QToolButton(bar);
    fit->setText(tr("Fit"));
    fit->setToolTip(tr("Shows the whole source (F)."));
    extract_ = new QPushButton(tr("Extract"), bar);
    extract_->setObjectName(QStringLiteral("extract"));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(source_, 1);
    layout->addWidget(kind_);
    layout->addWidget(limits_mode_);
    layout->addWidget(fit);
    layout->addStretch(1);
    layout->addWidget(extract_);
    connect(source_, &QComboBox::currentIndexChanged, this, [this] {
        fillKinds();
        showChosen();
    });
    connect(kind_, &QComboBox::currentIndexChanged, this, &EmbeddingsTab::showChosen);
    connect(limits_mode_, &QComboBox::currentIndexChanged, this, &EmbeddingsTab::applyLimits);
    connect(fit, &QToolButton::clicked, this, [this] { plot_->fit(); });
    connect(extract_, &QPushButton::clicked, this, &EmbeddingsTab::extractRequested);
    return bar;
}

QWidget* EmbeddingsTab::buildContent() {
    auto* page = new QWidget(this);
    facts_ = new QLabel(page);
    facts_->setObjectName(QStringLiteral("embeddingFacts"));
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    limits_text_ = new QLabel(page);
    limits_text_->setObjectName(QStringLiteral("limitsText"));
    limits_text_->setWordWrap(true);
    limits_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    edited_ = banner(QStringLiteral("embeddingsEdited"), page);
    outdated_ = banner(QStringLiteral("embeddingsOutdated"), page);
    plot_ = new EmbeddingPlot(page);
    plot_->setObjectName(QStringLiteral("embeddingPlot"));
    color_bar_ = new ColorBar(page);
    color_bar_->setObjectName(QStringLiteral("embeddingColorBar"));

    auto* area = new QWidget(page);
    auto* plots = new QHBoxLayout(area);
    plots->setContentsMargins(0, 0, 0, 0);
    plots->addWidget(plot_, 1);
    plots->addWidget(color_bar_);
    addPictureMenu(*area, [this] {
        QStringList lines{source_->currentText(), facts_->text(), limits_text_->text()};
        if (!edited_->isHidden()) {
            lines << edited_->text();
        }
        return lines.join(QLatin1Char('\n'));
    });
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(buildToolbar());
    layout->addWidget(edited_);
    layout->addWidget(outdated_);
    layout->addWidget(facts_);
    layout->addWidget(area, 1);
    layout->addWidget(limits_text_);
    return page;
}

void EmbeddingsTab::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    plot_->setCursorModel(cursor);
    if (cursor_) {
        // A point locked in another view brings its source to the front here.
        connect(cursor_, &CursorModel::pointChanged, this, [this](int source) {
            const int index = source_->findData(source);
            if (source >= 0 && cursor_->isLocked() && index >= 0) {
                source_->setCurrentIndex(index);
            }
        });
    }
}

void EmbeddingsTab::setSourceNames(const QStringList& names) {
    names_ = names;
    for (int i = 0; i < source_->count(); ++i) {
        const int source = source_->itemData(i).toInt();
        source_->setItemText(i, tr("%1: %2").arg(source + 1).arg(names_.value(source)));
    }
}

void EmbeddingsTab::setMatrices(std::vector<Matrix> matrices) {
    const int sourceBefore = source_->currentData().isValid() ? source_->currentData().toInt() : 0;
    matrices_ = std::move(matrices);
    {
        const QSignalBlocker blocker(source_);
        source_->clear();
        for (const Matrix& matrix : matrices_) {
            if (source_->findData(matrix->source) < 0) {
                source_->addItem(
                    tr("%1: %2").arg(matrix->source + 1).arg(names_.value(matrix->source)),
                    matrix->source);
            }
        }
        source_->setCurrentIndex(std::max(0, source_->findData(sourceBefore)));
    }
    setOutdated({});
    fillKinds();
    pages_->setCurrentIndex(1);
    showChosen();
}

void EmbeddingsTab::fillKinds() {
    const QString before = kind_->currentText();
    const QSignalBlocker blocker(kind_);
    kind_->clear();
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
        if (matrices_[i]->source == source_->currentData().toInt()) {
            kind_->addItem(embeddingKindName(matrices_[i]->kind), static_cast<int>(i));
        }
    }
    kind_->setCurrentIndex(std::max(0, kind_->findText(before)));
}

EmbeddingsTab::Matrix EmbeddingsTab::chosen() const {
    const QVariant index = kind_->currentData();
    return index.isValid() ? matrices_[static_cast<std::size_t>(index.toInt())] : nullptr;
}

void EmbeddingsTab::showChosen() {
    const Matrix matrix = chosen();
    plot_->setMatrix(matrix);
    if (!matrix) {
        return;
    }
    const QLocale locale;
    facts_->setText(tr("%1: %2. Shape [%3 tokens, %4 dimensions], %5 s per token, no pooling.")
                        .arg(embeddingKindName(matrix->kind), embeddingKindMeaning(matrix->kind),
                             locale.toString(matrix->tokens()),
                             locale.toString(matrix->dimensions()),
                             locale.toString(matrix->secondsPerToken, 'g', 4)));
    applyLimits();
}

void EmbeddingsTab::applyLimits() {
    const Matrix matrix = chosen();
    if (!matrix) {
        return;
    }
    const bool robust = limits_mode_->currentData().toInt() == Robust;
    const ColorLimits& limits = robust ? matrix->robust : matrix->full;
    const QLocale locale;
    QString text = robust ? tr("Colours: ±%1, from p0.5…p99.5 of this tensor, symmetric about 0; ")
                                .arg(locale.toString(limits.high, 'g', 4))
                          : tr("Colours: ±%1, the largest absolute value of this tensor; ")
                                .arg(locale.toString(limits.high, 'g', 4));
    const double share = matrix->values.isEmpty()
                             ? 0
                             : 100.0 * static_cast<double>(matrix->outsideRobust) /
                                   static_cast<double>(matrix->values.data->size());
    text += robust
                ? tr("%1 values (%2 %) lie beyond: end colours, hatched.")
                      .arg(locale.toString(matrix->outsideRobust), locale.toString(share, 'f', 2))
                : tr("none lies beyond.");
    text += QLatin1Char(' ') +
            tr("Where several cells share a pixel, the one farthest from 0 is drawn.");
    if (matrix->notFinite > 0) {
        text += QLatin1Char(' ') +
                tr("%1 values are not finite.").arg(locale.toString(matrix->notFinite));
    }
    limits_text_->setText(text);
    plot_->setLimits(limits);
    color_bar_->setMap(ColorMap::diverging(palette()).id());
    color_bar_->setLimits(limits);
}

QString EmbeddingsTab::limitsText() const {
    return limits_text_->text();
}

void EmbeddingsTab::showEmpty(const QString& text, bool canExtract) {
    matrices_.clear();
    const QSignalBlocker blockSource(source_);
    const QSignalBlocker blockKind(kind_);
    source_->clear();
    kind_->clear();
    plot_->setMatrix(nullptr);
    empty_text_->setText(text);
    empty_extract_->setVisible(canExtract);
    pages_->setCurrentIndex(0);
}

void EmbeddingsTab::showBusy(const QString& text) {
    if (!hasMatrices()) {
        empty_text_->setText(text);
        empty_extract_->hide();
        pages_->setCurrentIndex(0);
    } else {
        setOutdated(text);
    }
}

void EmbeddingsTab::setOutdated(const QString& text) {
    outdated_->setText(text);
    outdated_->setVisible(!text.isEmpty());
}

void EmbeddingsTab::setEdited(const QStringList& edits) {
    edited_->setText(editedText(edits));
    edited_->setVisible(!edits.isEmpty());
}

void EmbeddingsTab::setPendingEdits(const QStringList& edits) {
    pending_edits_ = edits;
    refreshExtract();
}

void EmbeddingsTab::setExtractReason(const QString& reason) {
    extract_reason_ = reason;
    refreshExtract();
}

void EmbeddingsTab::refreshExtract() {
    QString help = extract_reason_;
    if (help.isEmpty()) {
        help = tr("Runs the audio encoder and the projector (Ctrl+E).");
        if (!pending_edits_.isEmpty()) {
            help += QLatin1Char('\n') + tr("The next run will be edited: %1.")
                                            .arg(pending_edits_.join(QStringLiteral(", ")));
        }
    }
    for (QPushButton* button : {extract_, empty_extract_}) {
        button->setEnabled(extract_reason_.isEmpty());
        button->setToolTip(help);
    }
}

}  // namespace earscope
