#include "widgets/tokens/tokens_tab.h"

#include "widgets/plot/cursor_model.h"
#include "widgets/tokens/token_colors.h"
#include "widgets/tokens/token_strip.h"
#include "widgets/tokens/token_table_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <array>
#include <cmath>

namespace earscope {
namespace {

/// Scroll bars count whole numbers; a token is this many steps.
constexpr double kStepsPerToken = 100;

}  // namespace

TokensTab::TokensTab(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget(this)),
      empty_text_(new QLabel(this)),
      empty_action_(new QPushButton(this)) {
    auto* empty = new QWidget(this);
    empty_text_->setObjectName(QStringLiteral("tokensEmpty"));
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignCenter);
    empty_action_->setObjectName(QStringLiteral("tokensEmptyAction"));
    auto* emptyLayout = new QVBoxLayout(empty);
    emptyLayout->addStretch(1);
    emptyLayout->addWidget(empty_text_);
    emptyLayout->addWidget(empty_action_, 0, Qt::AlignCenter);
    emptyLayout->addStretch(1);
    pages_->addWidget(empty);
    pages_->addWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    connect(empty_action_, &QPushButton::clicked, this, &TokensTab::emptyActionRequested);
    showEmpty(tr("Needs a model's tokenizer and a prompt."));
}

QWidget* TokensTab::buildContent() {
    auto* content = new QWidget(this);
    legend_ = new QLabel(content);
    legend_->setObjectName(QStringLiteral("tokenLegend"));
    legend_->setWordWrap(true);
    legend_->setTextFormat(Qt::RichText);
    strip_ = new TokenStrip(content);
    strip_->setObjectName(QStringLiteral("tokenStrip"));
    strip_bar_ = new QScrollBar(Qt::Horizontal, content);
    strip_bar_->setAccessibleName(tr("Visible part of the token strip"));
    buildTable();
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(legend_);
    layout->addWidget(strip_);
    layout->addWidget(strip_bar_);
    layout->addWidget(table_, 1);

    connect(strip_, &TokenStrip::tokenClicked, this,
            [this](int row, Qt::KeyboardModifiers modifiers) {
                onRowChosen(row, (modifiers & Qt::ShiftModifier) != 0);
                showRow(row, true);
            });
    connect(strip_, &TokenStrip::tokenHovered, this, &TokensTab::onRowHovered);
    connect(strip_, &TokenStrip::rangeChanged, this, &TokensTab::onStripRange);
    connect(strip_bar_, &QScrollBar::valueChanged, this, [this](int value) {
        if (!updating_) {
            const double span = strip_->lastVisible() - strip_->firstVisible();
            strip_->showRange(value / kStepsPerToken, value / kStepsPerToken + span);
        }
    });
    return content;
}

void TokensTab::buildTable() {
    model_ = new TokenTableModel(this);
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("tokenTable"));
    table_->setAccessibleName(tr("Tokens"));
    table_->setModel(model_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setMouseTracking(true);
    table_->setTabKeyNavigation(false);
    // Fixed heights: no row is ever asked for its size, whatever their number.
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::Interactive);
    const int digit = table_->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    header->resizeSection(TokenTableModel::PositionColumn, digit * 9);
    header->resizeSection(TokenTableModel::IdColumn, digit * 9);
    header->resizeSection(TokenTableModel::PieceColumn, digit * 15);
    header->resizeSection(TokenTableModel::ClassColumn, digit * 12);
    header->resizeSection(TokenTableModel::SourceColumn, digit * 8);
    header->resizeSection(TokenTableModel::SlotRowColumn, digit * 8);
    header->resizeSection(TokenTableModel::SecondsColumn, digit * 21);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!updating_ && current.isValid()) {
                    onRowChosen(current.row(), false);
                    showRow(current.row(), false);
                }
            });
    connect(table_, &QTableView::entered, this,
            [this](const QModelIndex& index) { onRowHovered(index.row()); });
}

void TokensTab::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, &TokensTab::onCursorMoved);
        connect(cursor_, &CursorModel::hoverChanged, this, &TokensTab::onCursorHovered);
    }
}

void TokensTab::setPrompt(std::vector<TokenValue> tokens) {
    prompt_ = std::move(tokens);
    generated_.clear();
    refresh();
}

void TokensTab::setGenerated(const std::vector<TokenValue>& tokens) {
    generated_ = tokens;
    refresh();
}

void TokensTab::refresh() {
    std::vector<TokenValue> all = prompt_;
    all.insert(all.end(), generated_.begin(), generated_.end());
    const int before = currentRow();
    {
        const QScopedValueRollback<bool> guard(updating_, true);
        strip_->setTokens(all);
        model_->setTokens(std::move(all));
    }
    refreshLegend();
    pages_->setCurrentIndex(1);
    if (before >= 0 && before < model_->rowCount()) {
        showRow(before, false);
    }
    onCursorMoved();
}

void TokensTab::refreshLegend() {
    std::array<int, kTokenClasses> counts{};
    for (const TokenValue& token : model_->tokens()) {
        ++counts[static_cast<std::size_t>(token.tokenClass)];
    }
    QStringList parts;
    for (int i = 0; i < kTokenClasses; ++i) {
        const int count = counts[static_cast<std::size_t>(i)];
        if (count == 0) {
            continue;
        }
        const auto tokenClass = static_cast<TokenClass>(i);
        const QString color = tokenBrush(tokenClass, 0, palette()).color().name();
        parts << QStringLiteral(
                     "<span style='white-space:nowrap'><span style='color:%1'>%4</span> "
                     "%2&nbsp;%3</span>")
                     .arg(color, tokenClassName(tokenClass).toHtmlEscaped(),
                          QLocale().toString(count),
                          tokenClass == TokenClass::Padding ? QStringLiteral("▨")
                                                            : QStringLiteral("■"));
    }
    legend_->setText(tr("%1 positions: ").arg(QLocale().toString(model_->rowCount())) +
                     parts.join(QStringLiteral("  &nbsp; ")));
}

void TokensTab::showEmpty(const QString& text, const QString& action) {
    prompt_.clear();
    generated_.clear();
    {
        const QScopedValueRollback<bool> guard(updating_, true);
        model_->setTokens({});
        strip_->setTokens({});
    }
    empty_text_->setText(text);
    empty_action_->setText(action);
    empty_action_->setVisible(!action.isEmpty());
    pages_->setCurrentIndex(0);
}

bool TokensTab::isEmpty() const {
    return pages_->currentIndex() == 0;
}
int TokensTab::tokenCount() const {
    return model_->rowCount();
}
int TokensTab::currentRow() const {
    return strip_->current();
}

void TokensTab::selectRow(int row) {
    onRowChosen(row, false);
    showRow(row, true);
}

void TokensTab::onRowChosen(int row, bool extend) {
    if (!cursor_ || row < 0 || row >= model_->rowCount()) {
        return;
    }
    const TokenValue& token = model_->token(row);
    const QScopedValueRollback<bool> guard(updating_, true);
    if (token.source < 0 || token.slotRow < 0) {
        return;  // text has no time: the cursor stays where it is
    }
    if (extend) {
        cursor_->extendTo(token.source, (token.startSeconds + token.endSeconds) / 2);
    } else {
        cursor_->lockToken(token.source, token.slotRow);
    }
}

void TokensTab::onRowHovered(int row) {
    strip_->setHovered(row);
    if (!cursor_) {
        return;
    }
    const QScopedValueRollback<bool> guard(updating_, true);
    if (row >= 0 && row < model_->rowCount() && model_->token(row).slotRow >= 0) {
        cursor_->hoverToken(model_->token(row).source, model_->token(row).slotRow);
    } else {
        cursor_->leave();
    }
}

void TokensTab::onCursorMoved() {
    if (updating_ || !cursor_ || !cursor_->isLocked()) {
        return;
    }
    const int row = model_->rowOfSlot(cursor_->point().source, cursor_->token());
    if (row >= 0) {
        showRow(row, true);
    }
}

void TokensTab::onCursorHovered() {
    if (updating_ || !cursor_) {
        return;
    }
    const CursorPoint point = cursor_->hoverPoint();
    strip_->setHovered(
        point.isValid()
            ? model_->rowOfSlot(point.source, cursor_->tokenAt(point.source, point.seconds))
            : -1);
}

void TokensTab::onStripRange(double first, double last) {
    const QScopedValueRollback<bool> guard(updating_, true);
    const double span = last - first;
    strip_bar_->setPageStep(static_cast<int>(span * kStepsPerToken));
    strip_bar_->setRange(
        0, static_cast<int>(std::max(0.0, strip_->tokenCount() - span) * kStepsPerToken));
    strip_bar_->setSingleStep(static_cast<int>(std::max(1.0, span / 10 * kStepsPerToken)));
    strip_bar_->setValue(static_cast<int>(std::lround(first * kStepsPerToken)));
    strip_bar_->setEnabled(strip_bar_->maximum() > 0);
}

void TokensTab::showRow(int row, bool scroll) {
    const QScopedValueRollback<bool> guard(updating_, true);
    strip_->setCurrent(row);
    const QModelIndex index = model_->index(row, 0);
    table_->selectionModel()->setCurrentIndex(
        index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (scroll) {
        table_->scrollTo(index, QAbstractItemView::EnsureVisible);
    }
}

}  // namespace earscope
