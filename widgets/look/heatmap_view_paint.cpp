#include "widgets/look/heatmap_view.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/plot/theme.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr int kTop = 5;
constexpr int kRight = 6;
constexpr int kTick = 4;

/// 1, 2 or 5 times a power of ten, at least `step`.
qint64 roundStep(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, step))));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        if (factor * power >= step) {
            return static_cast<qint64>(factor * power);
        }
    }
    return static_cast<qint64>(10 * power);
}

/// Room for a row's text beside its number.
int rowTextWidth(const QFontMetrics& metrics) {
    return metrics.horizontalAdvance(QStringLiteral("0: 000.00 s"));
}

qint64 largestNumber(const HeatmapAxis& axis, qint64 count) {
    return count > 0 ? std::max(axis.numberOf(0), axis.numberOf(count - 1)) : 0;
}

}  // namespace

QRect HeatmapView::plotRect() const {
    const QFontMetrics metrics(font());
    int numbers = metrics.horizontalAdvance(QStringLiteral("00"));
    bool details = false;
    if (map_) {
        numbers = std::max(numbers, metrics.horizontalAdvance(QLocale().toString(
                                        largestNumber(map_->rows, map_->values.rows()))));
        details = map_->columns.tokens != nullptr;
        if (map_->rows.tokens) {
            numbers += rowTextWidth(metrics) + kTick;
        }
    }
    const int left = metrics.height() + 4 + numbers + kTick + 3;
    const int bottom = metrics.height() * (details ? 3 : 2) + kTick + 2;
    return {left, kTop, std::max(1, width() - left - kRight),
            std::max(1, height() - kTop - bottom)};
}

double HeatmapView::xOf(double column) const {
    const QRect rect = plotRect();
    return rect.left() + (column - first_column_) / (last_column_ - first_column_) * rect.width();
}

double HeatmapView::yOf(double row) const {
    const QRect rect = plotRect();
    const double part = (row - first_row_) / (last_row_ - first_row_);
    return map_ && map_->firstRowAtBottom ? rect.bottom() + 1 - part * rect.height()
                                          : rect.top() + part * rect.height();
}

void HeatmapView::render() {
    const QRect rect = plotRect();
    MatrixRender render;
    const double ratio = devicePixelRatioF();
    render.size = QSize(static_cast<int>(std::ceil(rect.width() * ratio)),
                        static_cast<int>(std::ceil(rect.height() * ratio)));
    render.firstColumn = first_column_;
    render.lastColumn = last_column_;
    render.firstRow = first_row_;
    render.lastRow = last_row_;
    render.firstRowAtBottom = map_->firstRowAtBottom;
    render.limits = limits_;
    render.hatchClipped = true;
    render.map = map_->isDiverging() ? ColorMap::diverging(palette()).id() : ColorMapId::Viridis;
    image_ = renderMatrix(map_->pyramid, render).image;
    image_.setDevicePixelRatio(ratio);
    image_valid_ = true;
}

const QImage& HeatmapView::image() {
    if (!image_valid_ && map_) {
        render();
    }
    return image_;
}

void HeatmapView::paintRows(QPainter& painter) const {
    const QRect rect = plotRect();
    const QFontMetrics metrics = painter.fontMetrics();
    const double rowHeight = rect.height() / (last_row_ - first_row_);
    const qint64 step = roundStep(metrics.height() * 1.1 / rowHeight);
    painter.setPen(palette().color(QPalette::Text));
    const auto first =
        static_cast<qint64>(std::ceil(first_row_ / static_cast<double>(step))) * step;
    for (qint64 row = first; row < map_->values.rows() && static_cast<double>(row) < last_row_;
         row += step) {
        const double y = yOf(static_cast<double>(row) + 0.5);
        if (y < rect.top() || y > rect.bottom() + 1) {
            continue;
        }
        painter.drawLine(QPointF(rect.left() - kTick, y), QPointF(rect.left() - 1, y));
        QRectF box(0, y - metrics.height() / 2.0, rect.left() - kTick - 2, metrics.height());
        if (map_->rows.tokens) {
            const int room = rowTextWidth(metrics);
            painter.setPen(quietTextColor(palette()));
            painter.drawText(QRectF(box.right() - room, box.top(), room, box.height()),
                             Qt::AlignRight | Qt::AlignVCenter,
                             metrics.elidedText(map_->rows.detailOf(row), Qt::ElideRight, room));
            painter.setPen(palette().color(QPalette::Text));
            box.setRight(box.right() - room - kTick);
        }
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                         QLocale().toString(map_->rows.numberOf(row)));
    }
    painter.save();
    painter.translate(metrics.height() / 2 + 2, rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRect(-height() / 2, -metrics.height() / 2, height(), metrics.height()),
                     Qt::AlignCenter, map_->rows.title);
    painter.restore();
}

void HeatmapView::paintColumns(QPainter& painter) const {
    const QRect rect = plotRect();
    const QFontMetrics metrics = painter.fontMetrics();
    const bool details = map_->columns.tokens != nullptr;
    const int label = metrics.horizontalAdvance(details ? QStringLiteral("0: 0000.00 s")
                                                        : QStringLiteral("00,000")) +
                      8;
    const double columnWidth = rect.width() / (last_column_ - first_column_);
    const qint64 step = roundStep(label / columnWidth);
    const int top = rect.bottom() + 1;
    const auto first =
        static_cast<qint64>(std::ceil(first_column_ / static_cast<double>(step))) * step;
    for (qint64 column = first;
         column < map_->values.columns() && static_cast<double>(column) < last_column_;
         column += step) {
        const double x = xOf(static_cast<double>(column) + 0.5);
        const double left = std::clamp(x - label / 2.0, 0.0, std::max(0.0, width() - 1.0 * label));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawLine(QPointF(x, top), QPointF(x, top + kTick - 1));
        const QRectF box(left, top + kTick, label, metrics.height());
        painter.drawText(box, Qt::AlignCenter, QLocale().toString(map_->columns.numberOf(column)));
        if (details) {
            painter.setPen(quietTextColor(palette()));
            painter.drawText(
                box.translated(0, metrics.height()), Qt::AlignCenter,
                metrics.elidedText(map_->columns.detailOf(column), Qt::ElideRight, label - 4));
        }
    }
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(
        QRect(rect.left(), height() - metrics.height(), rect.width(), metrics.height()),
        Qt::AlignCenter,
        details ? tr("%1, and its second or text").arg(map_->columns.title) : map_->columns.title);
}

void HeatmapView::paintMarks(QPainter& painter) const {
    const QRect rect = plotRect();
    painter.save();
    painter.setClipRect(rect);
    const auto frame = [&](const QRectF& area, double alpha) {
        QColor light(Qt::white);
        QColor dark(Qt::black);
        light.setAlphaF(static_cast<float>(alpha));
        dark.setAlphaF(static_cast<float>(alpha));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(light, 3));
        painter.drawRect(area);
        painter.setPen(QPen(dark, 1));
        painter.drawRect(area);
    };
    const auto columnFrame = [&](qint64 column, double alpha) {
        const double left = xOf(static_cast<double>(column));
        const double right = std::max(left + 2, xOf(static_cast<double>(column) + 1));
        frame(QRectF(left, rect.top() - 3, right - left, rect.height() + 6), alpha);
    };
    if (cursor_) {
        const CursorRange range = cursor_->range();
        const int first = map_->columns.indexOfSlot(range.source, range.firstToken);
        const int last = map_->columns.indexOfSlot(range.source, range.lastToken);
        if (!range.isEmpty() && first >= 0 && last >= first) {
            QColor fill = palette().color(QPalette::Highlight);
            fill.setAlphaF(0.25F);
            painter.fillRect(
                QRectF(QPointF(xOf(first), rect.top()), QPointF(xOf(last + 1), rect.bottom() + 1)),
                fill);
        }
        const CursorPoint hover = cursor_->hoverPoint();
        if (hover.isValid()) {
            const int column = map_->columns.indexOfSlot(
                hover.source, cursor_->tokenAt(hover.source, hover.seconds));
            if (column >= 0 && column != column_) {
                columnFrame(column, 0.4);
            }
        }
    }
    if (column_ >= 0 && row_ >= 0) {
        columnFrame(column_, 0.8);
        const double top =
            std::min(yOf(static_cast<double>(row_)), yOf(static_cast<double>(row_) + 1));
        const double cell = rect.height() / (last_row_ - first_row_);
        frame(QRectF(rect.left() - 3, top, rect.width() + 6, std::max(2.0, cell)), 0.55);
    }
    painter.restore();
}

void HeatmapView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    if (!map_ || map_->values.isEmpty()) {
        return;
    }
    const QRect rect = plotRect();
    if (!image_valid_) {
        render();
    }
    painter.fillRect(rect, palette().base());
    painter.drawImage(rect.topLeft(), image_);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
    paintRows(painter);
    paintColumns(painter);
    paintMarks(painter);
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(this->rect().adjusted(1, 1, -1, -1));
    }
}

}  // namespace earscope
