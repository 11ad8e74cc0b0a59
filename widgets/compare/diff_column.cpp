#include "widgets/compare/diff_column.h"

#include "widgets/compare/token_spans.h"
#include "widgets/plot/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>

namespace earscope {
namespace {

constexpr int kIsSign = QTextFormat::UserProperty + 1;

}  // namespace

DiffColumn::DiffColumn(Side side, QWidget* parent) : QTextEdit(parent), side_(side) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setAcceptRichText(false);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setTabChangesFocus(true);
    setAccessibleName(side == Side::A ? tr("Answer A") : tr("Answer B"));
    setMinimumHeight(fontMetrics().lineSpacing() * 3 + 10);
}

void DiffColumn::setRun(RunPointer run, const std::optional<Comparison>& comparison) {
    run_ = std::move(run);
    classify(comparison);
    draw();
}

void DiffColumn::classify(const std::optional<Comparison>& comparison) {
    here_only_.assign(run_ ? run_->tokens.size() : 0, false);
    divergence_ = -1;
    if (!run_ || !comparison) {
        return;
    }
    const DiffKind mine = side_ == Side::A ? DiffKind::OnlyA : DiffKind::OnlyB;
    for (const DiffStep& step : comparison->diff) {
        const auto token = static_cast<std::size_t>(side_ == Side::A ? step.a : step.b);
        if (step.kind == mine && token < here_only_.size()) {
            here_only_[token] = true;
        }
    }
    if (comparison->first_divergence) {
        // One past the last token where the other run simply goes on.
        divergence_ = static_cast<int>(*comparison->first_divergence);
    }
}

DiffColumn::Formats DiffColumn::formats() const {
    const QColor base = palette().color(QPalette::Base);
    const QColor tint = sourceColor(side_ == Side::A ? 1 : 0, palette());
    Formats made;
    made.plain.setForeground(palette().color(QPalette::Text));
    made.here = made.plain;
    made.here.setFontUnderline(true);
    made.here.setUnderlineStyle(QTextCharFormat::SingleUnderline);
    made.here.setUnderlineColor(tint);
    made.here.setBackground(blended(tint, base, 0.18));
    made.sign.setForeground(tint);
    made.sign.setFontWeight(QFont::Bold);
    made.sign.setBackground(blended(tint, base, 0.18));
    made.sign.setProperty(kIsSign, true);
    made.marker.setForeground(base);
    made.marker.setBackground(palette().color(QPalette::Text));
    made.marker.setFontWeight(QFont::Bold);
    made.marker.setProperty(kIsSign, true);
    return made;
}

void DiffColumn::draw() {
    clear();
    shown_.clear();
    positions_.clear();
    if (!run_) {
        return;
    }
    const QString text = QString::fromStdString(run_->text);
    const std::vector<TokenSpan> spans = tokenSpans(*run_, text);
    const Formats format = formats();
    const QString sign = side_ == Side::A ? QStringLiteral("−") : QStringLiteral("+");
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    positions_.reserve(spans.size() + 1);
    if (spans.empty()) {
        cursor.insertText(text, format.plain);
        shown_ = text;
    }
    const auto mark = [&](int token) {
        if (token == divergence_) {
            cursor.insertText(QStringLiteral("▶"), format.marker);
        }
    };
    for (std::size_t i = 0; i < spans.size(); ++i) {
        positions_.push_back(cursor.position());
        mark(static_cast<int>(i));
        const bool here = here_only_[i];
        if (here && (i == 0 || !here_only_[i - 1])) {
            cursor.insertText(sign, format.sign);
        }
        QTextCharFormat look = here ? format.here : format.plain;
        if (spans[i].special) {
            look.setForeground(quietTextColor(palette()));
            look.setFontItalic(true);
            look.setProperty(kIsSign, true);
            cursor.insertText(QString::fromStdString(run_->tokens[i].piece), look);
            continue;
        }
        const QString part = text.mid(spans[i].begin, spans[i].length);
        shown_ += part;
        cursor.insertText(part, look);
    }
    positions_.push_back(cursor.position());
    mark(static_cast<int>(spans.size()));
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
}

QString DiffColumn::shownText() const {
    return shown_;
}

std::vector<int> DiffColumn::tokensHereOnly() const {
    std::vector<int> tokens;
    for (std::size_t i = 0; i < here_only_.size(); ++i) {
        if (here_only_[i]) {
            tokens.push_back(static_cast<int>(i));
        }
    }
    return tokens;
}

int DiffColumn::positionOf(int token) const {
    if (positions_.empty()) {
        return 0;
    }
    const auto last = static_cast<int>(positions_.size()) - 1;
    return positions_[static_cast<std::size_t>(std::clamp(token, 0, last))];
}

int DiffColumn::topToken() const {
    const int position = cursorForPosition(QPoint(2, 2)).position();
    const auto after = std::upper_bound(positions_.begin(), positions_.end(), position);
    return std::max(0, static_cast<int>(after - positions_.begin()) - 1);
}

void DiffColumn::scrollToToken(int token) {
    QTextCursor cursor(document());
    cursor.setPosition(positionOf(token));
    QScrollBar* bar = verticalScrollBar();
    bar->setValue(bar->value() + cursorRect(cursor).top());
}

void DiffColumn::showDivergence() {
    if (divergence_ < 0) {
        return;
    }
    scrollToToken(divergence_);
    QScrollBar* bar = verticalScrollBar();
    bar->setValue(bar->value() - viewport()->height() / 3);
}

void DiffColumn::changeEvent(QEvent* event) {
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && run_) {
        draw();
    }
}

}  // namespace earscope
