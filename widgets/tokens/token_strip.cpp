#include "widgets/tokens/token_strip.h"

#include "widgets/tokens/token_colors.h"
#include "widgets/tokens/token_table_model.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace earscope {
namespace {

/// Cells of this width and more show the token's text and a gap to the next.
constexpr double kTextWidth = 18;
constexpr double kSeparatorWidth = 4;
/// Thickest line that stands for a time digit or a boundary.
constexpr double kSeparatorThickness = 3;
constexpr int kStripHeight = 44;
constexpr int kLabelHeight = 16;
/// Closest zoom: this many tokens fill the strip.
constexpr double kFewest = 8;

/// Drawn as a thin line instead of a cell: what stands between audio tokens without a sound.
bool isSeparator(TokenClass tokenClass) {
    return tokenClass == TokenClass::TimeDigit || tokenClass == TokenClass::Boundary;
}

}  // namespace

TokenStrip::TokenStrip(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Token strip"));
}

void TokenStrip::setTokens(std::vector<TokenValue> tokens) {
    const bool wasFitted = first_ <= 0 && last_ >= static_cast<double>(tokens_.size());
    tokens_ = std::move(tokens);
    current_ = current_ < tokenCount() ? current_ : -1;
    hovered_ = -1;
    std::array<int, kTokenClasses> counts{};
    for (const TokenValue& token : tokens_) {
        ++counts[static_cast<std::size_t>(token.tokenClass)];
    }
    std::array<int, kTokenClasses> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&counts](int a, int b) {
        return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
    });
    rarity_.assign(kTokenClasses, 0);
    for (int rank = 0; rank < kTokenClasses; ++rank) {
        rarity_[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])] = rank;
    }
    if (wasFitted) {
        fit();
    } else {
        showRange(first_, last_);
    }
}

void TokenStrip::fit() {
    showRange(0, static_cast<double>(tokens_.size()));
}

void TokenStrip::showRange(double first, double last) {
    const auto count = static_cast<double>(tokens_.size());
    const double span = std::clamp(last - first, std::min(kFewest, count), std::max(count, 0.0));
    first_ = std::clamp(first, 0.0, std::max(0.0, count - span));
    last_ = first_ + span;
    cache_ = {};
    update();
    Q_EMIT rangeChanged(first_, last_);
}

void TokenStrip::setCurrent(int row) {
    current_ = row < tokenCount() ? row : -1;
    if (current_ >= 0 && (current_ < first_ || current_ + 1 > last_)) {
        const double span = last_ - first_;
        showRange(current_ - span / 2, current_ + span / 2);
    }
    setAccessibleDescription(description());
    update();
}

void TokenStrip::setHovered(int row) {
    if (hovered_ != row) {
        hovered_ = row < tokenCount() ? row : -1;
        update();
    }
}

QString TokenStrip::description() const {
    return current_ >= 0 ? tokenDescription(tokens_[static_cast<std::size_t>(current_)])
                         : tr("Tokens: %1").arg(QLocale().toString(tokenCount()));
}

double TokenStrip::cellWidth() const {
    return last_ > first_ ? width() / (last_ - first_) : static_cast<double>(width());
}

double TokenStrip::xOf(double row) const {
    return (row - first_) * cellWidth();
}

int TokenStrip::rowAt(double x) const {
    if (tokens_.empty() || x < 0 || x >= width()) {
        return -1;
    }
    const int row = static_cast<int>(std::floor(first_ + x / cellWidth()));
    return row >= 0 && row < tokenCount() ? row : -1;
}

QSize TokenStrip::sizeHint() const {
    return {400, kLabelHeight + kStripHeight + 2};
}
QSize TokenStrip::minimumSizeHint() const {
    return {80, kLabelHeight + kStripHeight + 2};
}

QRectF TokenStrip::cellRect(int row) const {
    const double height =
        kStripHeight * tokenHeight(tokens_[static_cast<std::size_t>(row)].tokenClass);
    const double gap = cellWidth() >= kSeparatorWidth ? 1 : 0;
    return {xOf(row), kLabelHeight + kStripHeight - height, cellWidth() - gap, height};
}

void TokenStrip::paintCells(QPainter& painter) const {
    const int begin = std::max(0, static_cast<int>(std::floor(first_)));
    const int end = std::min(tokenCount(), static_cast<int>(std::ceil(last_)));
    for (int row = begin; row < end; ++row) {
        const TokenValue& token = tokens_[static_cast<std::size_t>(row)];
        const QRectF rect = cellRect(row);
        const QBrush brush = tokenBrush(token.tokenClass, token.source, palette());
        if (isSeparator(token.tokenClass)) {
            paintSeparator(painter, rect, token, brush.color());
            continue;
        }
        painter.fillRect(rect, brush);
        if (token.tokenClass == TokenClass::Padding) {
            painter.setPen(palette().color(QPalette::Mid));
            painter.drawRect(rect);
        }
        if (rect.width() < kTextWidth) {
            continue;
        }
        const QString text = token.tokenClass == TokenClass::Audio && token.slotRow >= 0
                                 ? QLocale().toString(token.slotRow)
                                 : readablePiece(token.piece);
        painter.setPen(token.tokenClass == TokenClass::Padding ? palette().color(QPalette::Text)
                                                               : textOn(brush.color()));
        const QRectF inner = rect.adjusted(2, 0, -1, 0);
        painter.drawText(
            inner, Qt::AlignCenter | Qt::TextSingleLine,
            fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(inner.width())));
    }
}

void TokenStrip::paintSeparator(QPainter& painter, const QRectF& rect, const TokenValue& token,
                                const QColor& color) const {
    const double thickness = std::clamp(rect.width() / 4, 1.0, kSeparatorThickness);
    painter.fillRect(
        QRectF(rect.left() +
                   (token.tokenClass == TokenClass::Boundary ? (rect.width() - thickness) / 2 : 0),
               rect.top(), thickness, rect.height()),
        color);
    if (rect.width() >= kTextWidth && token.tokenClass == TokenClass::TimeDigit) {
        painter.setPen(palette().color(QPalette::Text));
        const QRectF inner = rect.adjusted(thickness + 1, 0, 0, 0);
        painter.drawText(
            inner, Qt::AlignCenter | Qt::TextSingleLine,
            painter.fontMetrics().elidedText(readablePiece(token.piece), Qt::ElideRight,
                                             static_cast<int>(inner.width())));
    }
}

void TokenStrip::paintColumns(QPainter& painter) const {
    for (int x = 0; x < width(); ++x) {
        const int begin = std::max(0, static_cast<int>(std::floor(first_ + x / cellWidth())));
        const int end = std::min(
            tokenCount(), std::max(begin + 1, static_cast<int>(first_ + (x + 1) / cellWidth())));
        int shown = -1;
        int rank = -1;
        for (int row = begin; row < end; ++row) {
            const auto tokenClass =
                static_cast<std::size_t>(tokens_[static_cast<std::size_t>(row)].tokenClass);
            if (rarity_[tokenClass] > rank) {
                rank = rarity_[tokenClass];
                shown = row;
            }
        }
        if (shown < 0) {
            continue;
        }
        const TokenValue& token = tokens_[static_cast<std::size_t>(shown)];
        const double height = kStripHeight * tokenHeight(token.tokenClass);
        painter.fillRect(QRectF(x, kLabelHeight + kStripHeight - height, 1, height),
                         tokenBrush(token.tokenClass, token.source, palette()));
    }
}

void TokenStrip::paintSources(QPainter& painter) const {
    // A bracket over the audio tokens of each source.
    for (int row = 0; row < tokenCount();) {
        const int source = tokens_[static_cast<std::size_t>(row)].source;
        int end = row + 1;
        while (end < tokenCount() && tokens_[static_cast<std::size_t>(end)].source == source) {
            ++end;
        }
        const double left = std::max(0.0, xOf(row));
        const double right = std::min(static_cast<double>(width()), xOf(end));
        if (source >= 0 && right > left) {
            painter.setPen(palette().color(QPalette::Text));
            const QRectF label(left, 0, right - left, kLabelHeight - 3);
            painter.drawLine(QPointF(left + 1, kLabelHeight - 2),
                             QPointF(right - 1, kLabelHeight - 2));
            painter.drawText(
                label, Qt::AlignLeft | Qt::AlignBottom | Qt::TextSingleLine,
                fontMetrics().elidedText(tr("Source %1").arg(source + 1), Qt::ElideRight,
                                         static_cast<int>(label.width())));
        }
        row = end;
    }
}

void TokenStrip::paintOutline(QPainter& painter, int row, const QColor& color) const {
    if (row < 0 || row + 1 < first_ || row > last_) {
        return;
    }
    painter.setPen(QPen(color, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(xOf(row), kLabelHeight, std::max(2.0, cellWidth()), kStripHeight)
                         .adjusted(0, 1, 0, -1));
}

void TokenStrip::paintEvent(QPaintEvent* /*event*/) {
    const QSize pixels = size() * devicePixelRatioF();
    if (cache_.size() != pixels) {
        cache_ = QPixmap(pixels);
        cache_.setDevicePixelRatio(devicePixelRatioF());
        cache_.fill(palette().color(QPalette::Base));
        QPainter painter(&cache_);
        painter.setFont(font());
        if (cellWidth() >= 1) {
            paintCells(painter);
        } else {
            paintColumns(painter);
        }
        paintSources(painter);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, cache_);
    QColor faint = palette().color(QPalette::Text);
    faint.setAlphaF(0.4F);
    paintOutline(painter, hovered_, faint);
    paintOutline(painter, current_, palette().color(QPalette::Text));
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos().x());
        if (row >= 0) {
            QToolTip::showText(help->globalPos(),
                               tokenDescription(tokens_[static_cast<std::size_t>(row)]), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

void TokenStrip::resizeEvent(QResizeEvent* event) {
    cache_ = {};
    QWidget::resizeEvent(event);
}

void TokenStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        cache_ = {};
        update();
    }
    QWidget::changeEvent(event);
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
    drag_x_ = event->position().x();
    const int row = rowAt(event->position().x());
    if (event->button() == Qt::LeftButton && row >= 0) {
        Q_EMIT tokenClicked(row, event->modifiers());
    }
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::MiddleButton) != 0) {
        const double by = (drag_x_ - event->position().x()) / cellWidth();
        drag_x_ = event->position().x();
        showRange(first_ + by, last_ + by);
        return;
    }
    Q_EMIT tokenHovered(rowAt(event->position().x()));
}

void TokenStrip::leaveEvent(QEvent* event) {
    Q_EMIT tokenHovered(-1);
    QWidget::leaveEvent(event);
}

void TokenStrip::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const double turn = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    const double span = last_ - first_;
    if ((event->modifiers() & Qt::ShiftModifier) != 0 || delta.y() == 0) {
        showRange(first_ - turn * span / 8, last_ - turn * span / 8);
    } else {
        const double at = first_ + event->position().x() / cellWidth();
        const double factor = std::pow(0.8, turn);
        const double newSpan =
            std::clamp(span * factor, std::min(kFewest, span), static_cast<double>(tokens_.size()));
        const double first = at - (at - first_) * newSpan / std::max(span, 1e-9);
        showRange(first, first + newSpan);
    }
    event->accept();
}

void TokenStrip::step(int by) {
    if (tokens_.empty()) {
        return;
    }
    const int row = current_ < 0 ? 0 : std::clamp(current_ + by, 0, tokenCount() - 1);
    Q_EMIT tokenClicked(row, Qt::NoModifier);
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            step(-1);
            break;
        case Qt::Key_Right:
            step(1);
            break;
        case Qt::Key_Home:
            step(-tokenCount());
            break;
        case Qt::Key_End:
            step(tokenCount());
            break;
        case Qt::Key_F:
            fit();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace earscope
