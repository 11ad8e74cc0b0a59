#include "widgets/plot/cursor_model.h"
#include "widgets/plot/theme.h"
#include "widgets/signal/signal_strip.h"
#include "widgets/signal/signal_view.h"

#include <QLocale>
#include <QPaintEvent>
#include <QPainter>

#include <cmath>

namespace earscope {

namespace {

/// A vertical line through an area that shows on any background: a halo of the base colour around
/// it.
void paintHaloLine(QPainter& painter, double x, const QRect& area, const QPen& pen, QColor halo) {
    const QPointF top(x, area.top());
    const QPointF bottom(x, area.bottom() + 1);
    halo.setAlphaF(0.75F);
    painter.setPen(QPen(halo, pen.widthF() + 2));
    painter.drawLine(top, bottom);
    painter.setPen(pen);
    painter.drawLine(top, bottom);
}

}  // namespace

void SignalView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    painter.setFont(font());
    if (strips_.empty()) {
        painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
        paintEmpty(painter);
        return;
    }
    StripStyle style{palette(),
                     font(),
                     devicePixelRatioF(),
                     mel_limits_,
                     uses_windows_ ? tr("window %1") : tr("chunk %1"),
                     tr("not seen by the model")};
    painter.setClipRect(viewport()->rect().adjusted(0, rulerHeight(), 0, 0));
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        SignalStrip& strip = *strips_[i];
        if (!strip.layout().whole.intersects(viewport()->rect())) {
            continue;
        }
        const int index = static_cast<int>(i);
        strip.paint(painter, axis_, style);
        painter.save();
        painter.setClipRect(axisArea(strip), Qt::IntersectClip);
        paintRanges(painter, strip, index);
        paintCursor(painter, strip, index);
        if (index == play_source_) {
            paintPlayHead(painter, strip);
        }
        painter.restore();
        const bool last = i + 1 == strips_.size();
        const int below = strip.layout().whole.bottom() + 1;
        const int next = last ? viewport()->height() : strips_[i + 1]->layout().whole.top();
        painter.fillRect(0, below, viewport()->width(), next - below,
                         palette().color(QPalette::Base));
        if (!last) {
            painter.setPen(QPen(palette().color(QPalette::Mid), 0));
            painter.drawLine(0, below + 1, viewport()->width(), below + 1);
        }
    }
    painter.setClipping(false);
    paintRuler(painter);
    paintMarker(painter);
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

QRect SignalView::axisArea(const SignalStrip& strip) const {
    const StripLayout& layout = strip.layout();
    return {axisLeft(), layout.whole.top(), viewport()->width() - axisLeft(),
            layout.whole.height()};
}

void SignalView::paintEmpty(QPainter& painter) {
    painter.setPen(quietTextColor(palette()));
    painter.drawText(viewport()->rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Waveform and model input appear here."));
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void SignalView::paintRuler(QPainter& painter) {
    const QFontMetrics metrics(font());
    const QRect ruler(0, 0, viewport()->width(), rulerHeight() - 1);
    painter.fillRect(ruler, palette().color(QPalette::Window));
    painter.setPen(palette().color(QPalette::WindowText));
    const int labels_top = ruler.bottom() - metrics.height() - 5;
    painter.drawText(QRect(0, labels_top, axisLeft() - 6, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     axis_.end() >= TimeAxis::kClockFrom ? tr("time (min:s)") : tr("time (s)"));
    painter.save();
    painter.setClipRect(axisLeft(), 0, viewport()->width() - axisLeft(), rulerHeight());
    const int label_pixels = metrics.horizontalAdvance(QStringLiteral("00:00.000")) + 24;
    for (const TimeAxis::Tick& tick : axis_.ticks(label_pixels)) {
        const double x = axisLeft() + axis_.xOf(tick.seconds);
        const int length = tick.major ? 6 : 3;
        painter.drawLine(QPointF(x, ruler.bottom() - length), QPointF(x, ruler.bottom()));
        if (!tick.major) {
            continue;
        }
        const int width = metrics.horizontalAdvance(tick.text);
        // The first and the last label stay whole.
        const double left = std::clamp(x - width / 2.0, static_cast<double>(axisLeft()),
                                       std::max<double>(axisLeft(), viewport()->width() - width));
        painter.drawText(QRectF(left, labels_top, width + 1, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, tick.text);
    }
    painter.restore();
    painter.setPen(QPen(palette().color(QPalette::Mid), 0));
    painter.drawLine(0, ruler.bottom() + 1, viewport()->width(), ruler.bottom() + 1);
}

void SignalView::paintRanges(QPainter& painter, const SignalStrip& strip, int index) {
    if (!cursor_) {
        return;
    }
    const QRect area = axisArea(strip);
    const auto paint = [&](const CursorRange& range, const QColor& color, Qt::PenStyle style) {
        if (range.isEmpty() || range.source != index) {
            return;
        }
        const double left = area.left() + axis_.xOf(range.beginSeconds);
        const double right = area.left() + axis_.xOf(range.endSeconds);
        QColor fill = color;
        fill.setAlphaF(0.28F);
        painter.fillRect(QRectF(left, area.top(), right - left, area.height()), fill);
        const QColor base = palette().color(QPalette::Base);
        paintHaloLine(painter, left, area, QPen(color, 1, style), base);
        paintHaloLine(painter, right, area, QPen(color, 1, style), base);
    };
    paint(cursor_->range(), palette().color(QPalette::Highlight), Qt::SolidLine);
    paint(cursor_->secondRange(), noticeColor(palette()), Qt::DashLine);
}

void SignalView::paintCursor(QPainter& painter, const SignalStrip& strip, int index) {
    if (!cursor_) {
        return;
    }
    const QRect area = axisArea(strip);
    const QColor text = palette().color(QPalette::Text);
    const QColor base = palette().color(QPalette::Base);
    const CursorPoint point = cursor_->point();
    if (point.source == index) {
        const int token = cursor_->tokenAt(index, point.seconds);
        const QRect cells = strip.layout().tokens;
        if (token >= 0 && !cells.isEmpty()) {
            const double left = area.left() + axis_.xOf(cursor_->secondsOf(index, token));
            const double right = area.left() + axis_.xOf(cursor_->endOf(index, token));
            QColor veil = base;
            veil.setAlphaF(0.22F);
            painter.fillRect(
                QRectF(left, strip.layout().mel.top(), right - left, strip.layout().mel.height()),
                veil);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(base, 4));
            const QRectF cell(left, cells.top(), std::max(2.0, right - left), cells.height());
            painter.drawRect(cell.adjusted(0, 1, 0, -1));
            painter.setPen(QPen(text, 2));
            painter.drawRect(cell.adjusted(0, 1, 0, -1));
        }
        const double x = area.left() + axis_.xOf(point.seconds);
        paintHaloLine(painter, x, area, QPen(text, cursor_->isLocked() ? 1.5 : 1), base);
    }
    const CursorPoint hover = cursor_->hoverPoint();
    if (cursor_->isLocked() && hover.source == index) {
        const double x = area.left() + axis_.xOf(hover.seconds);
        paintHaloLine(painter, x, area, QPen(text, 1, Qt::DotLine), base);
    }
}

void SignalView::paintPlayHead(QPainter& painter, const SignalStrip& strip) {
    const QRect area = axisArea(strip);
    const double x = area.left() + axis_.xOf(play_seconds_);
    const QColor color = playHeadColor(palette());
    paintHaloLine(painter, x, area, QPen(color, 2), palette().color(QPalette::Base));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const double top = area.top();
    const QPolygonF head{QPointF(x - 6, top), QPointF(x + 6, top), QPointF(x, top + 8)};
    painter.drawPolygon(head);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void SignalView::paintMarker(QPainter& painter) {
    if (!cursor_ || !cursor_->point().isValid()) {
        return;
    }
    const double seconds = cursor_->point().seconds;
    if (seconds < axis_.begin() || seconds > axis_.end()) {
        return;
    }
    const QFontMetrics metrics(font());
    const QString text = tr("%1 s").arg(QLocale().toString(seconds, 'f', 3));
    const int width = metrics.horizontalAdvance(text) + 8;
    const double x = axisLeft() + axis_.xOf(seconds);
    QRectF box(x - width / 2.0, 1, width, metrics.height());
    box.moveLeft(std::clamp<double>(box.left(), axisLeft(),
                                    std::max(axisLeft(), viewport()->width() - width - 2)));
    const bool locked = cursor_->isLocked();
    const QColor fill = palette().color(locked ? QPalette::Highlight : QPalette::ToolTipBase);
    painter.fillRect(box, fill);
    painter.setPen(readableOn(fill));
    painter.drawText(box, Qt::AlignCenter, text);
    painter.drawLine(QPointF(x, rulerHeight() - 6), QPointF(x, rulerHeight()));
}

}  // namespace earscope
