// How the embedding plot is painted; the rest of the class is in embedding_plot.cpp.
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/plot/cursor_model.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr int kTickLength = 4;

/// 1, 2 or 5 times a power of ten, at least `least`.
double roundStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-12))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            return factor * power;
        }
    }
    return 10 * power;
}

QString valueText(double value) {
    return QLocale().toString(value, 'g', 4);
}

}  // namespace

void EmbeddingPlot::renderHeatmap() {
    const QRect rect = heatmapRect();
    MatrixRender render;
    render.size = rect.size() * devicePixelRatioF();
    render.firstColumn = tokenPosition(axis_.begin());
    render.lastColumn = std::max(tokenPosition(axis_.end()), render.firstColumn + 1e-6);
    render.firstRow = first_dimension_;
    render.lastRow = last_dimension_;
    render.limits = limits_;
    render.map = ColorMap::diverging(palette()).id();
    render.reduction = Reduction::MaxAbs;
    render.hatchClipped = true;
    heatmap_ = renderMatrix(matrix_->pyramid, render).image;
    heatmap_.setDevicePixelRatio(devicePixelRatioF());
    heatmap_valid_ = true;
}

void EmbeddingPlot::paintDimensions(QPainter& painter) const {
    const QRect rect = heatmapRect();
    const double span = last_dimension_ - first_dimension_;
    const double spacing = fontMetrics().height() * 2.0;
    const double step = std::max(1.0, roundStep(span * spacing / rect.height()));
    painter.setPen(palette().color(QPalette::Text));
    for (double d = std::ceil(first_dimension_ / step) * step; d < last_dimension_; d += step) {
        const double y = rect.top() + (d + 0.5 - first_dimension_) / span * rect.height();
        painter.drawLine(QPointF(rect.left() - kTickLength, y), QPointF(rect.left(), y));
        painter.drawText(QRectF(0, y - spacing / 2, rect.left() - kTickLength - 2, spacing),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QLocale().toString(static_cast<int>(d)));
    }
    painter.save();
    painter.translate(fontMetrics().height() * 0.5 + 2, rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRect(-rect.height() / 2, -fontMetrics().height() / 2, rect.height(),
                           fontMetrics().height()),
                     Qt::AlignCenter, tr("Dimension"));
    painter.restore();
}

EmbeddingPlot::NormScale EmbeddingPlot::normScale() const {
    NormScale scale{0, 0};
    for (const float norm : matrix_->norms) {
        if (std::isfinite(norm)) {
            scale.high = std::max(scale.high, static_cast<double>(norm));
        }
    }
    scale.high = scale.high > 0 ? scale.high * 1.05 : 1;
    return scale;
}

void EmbeddingPlot::paintNormCurve(QPainter& painter, const NormScale& scale) const {
    const QRect rect = normRect();
    const auto yOf = [&](double norm) {
        return rect.bottom() + 1 - (norm - scale.low) / (scale.high - scale.low) * rect.height();
    };
    painter.save();
    painter.setClipRect(rect);
    painter.setPen(QPen(palette().color(QPalette::Text), 1.2));
    const int first = std::max(0, static_cast<int>(tokenPosition(axis_.begin())) - 1);
    const int last = std::min(static_cast<int>(matrix_->norms.size()),
                              static_cast<int>(tokenPosition(axis_.end())) + 2);
    // Per pixel column the smallest and the largest norm, so that a lone peak is never lost.
    QPolygonF curve;
    double column = -1;
    double low = 0;
    double high = 0;
    const auto flush = [&] {
        if (column >= 0) {
            curve << QPointF(column, yOf(high)) << QPointF(column, yOf(low));
        }
    };
    for (int token = first; token < last; ++token) {
        const auto norm = static_cast<double>(matrix_->norms[static_cast<std::size_t>(token)]);
        if (!std::isfinite(norm)) {
            continue;
        }
        const double middle =
            matrix_->tokenSeconds[static_cast<std::size_t>(token)] + matrix_->secondsPerToken / 2;
        const double x = std::floor(xOf(middle)) + 0.5;
        if (x == column) {
            low = std::min(low, norm);
            high = std::max(high, norm);
        } else {
            flush();
            column = x;
            low = high = norm;
        }
    }
    flush();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawPolyline(curve);
    painter.restore();
}

void EmbeddingPlot::paintNorms(QPainter& painter) const {
    const QRect rect = normRect();
    const NormScale scale = normScale();
    painter.fillRect(rect, palette().base());
    QColor grid = palette().color(QPalette::Text);
    grid.setAlphaF(0.12F);
    const double spacing = fontMetrics().height() * 1.6;
    const double step = roundStep((scale.high - scale.low) * spacing / rect.height());
    for (double norm = 0; norm <= scale.high; norm += step) {
        const double y =
            rect.bottom() + 1 - (norm - scale.low) / (scale.high - scale.low) * rect.height();
        painter.setPen(grid);
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawLine(QPointF(rect.left() - kTickLength, y), QPointF(rect.left(), y));
        painter.drawText(QRectF(0, y - spacing / 2, rect.left() - kTickLength - 2, spacing),
                         Qt::AlignRight | Qt::AlignVCenter, valueText(norm));
    }
    paintNormCurve(painter, scale);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
    painter.setPen(palette().color(QPalette::Text));
    painter.save();
    painter.translate(fontMetrics().height() * 0.5 + 2, rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRect(-rect.height() / 2, -fontMetrics().height() / 2, rect.height(),
                           fontMetrics().height()),
                     Qt::AlignCenter, tr("Norm"));
    painter.restore();
}

void EmbeddingPlot::paintSeconds(QPainter& painter) const {
    const QRect rect = normRect();
    const int top = rect.bottom() + 1;
    painter.setPen(palette().color(QPalette::Text));
    for (const TimeAxis::Tick& tick : axis_.ticks(fontMetrics().averageCharWidth() * 12.0)) {
        const double x = xOf(tick.seconds);
        painter.drawLine(QPointF(x, top), QPointF(x, top + (tick.major ? kTickLength : 2)));
        if (tick.major) {
            const double half = fontMetrics().horizontalAdvance(tick.text) / 2.0 + 1;
            const double left = std::clamp(x - half, 0.0, std::max(0.0, width() - 2 * half));
            painter.drawText(QRectF(left, top + kTickLength, 2 * half, fontMetrics().height()),
                             Qt::AlignCenter, tick.text);
        }
    }
    painter.drawText(QRect(rect.left(), top + kTickLength + fontMetrics().height(), rect.width(),
                           fontMetrics().height()),
                     Qt::AlignCenter, tr("Time in the source"));
}

void EmbeddingPlot::paintCursor(QPainter& painter) const {
    if (!cursor_) {
        return;
    }
    const QRect area = heatmapRect().united(normRect());
    painter.save();
    painter.setClipRect(area);
    const CursorRange range = cursor_->range();
    if (!range.isEmpty() && range.source == matrix_->source) {
        QColor fill = palette().color(QPalette::Highlight);
        fill.setAlphaF(0.25F);
        painter.fillRect(QRectF(QPointF(xOf(range.beginSeconds), area.top()),
                                QPointF(xOf(range.endSeconds), area.bottom() + 1)),
                         fill);
    }
    const auto line = [&](const CursorPoint& point, double alpha) {
        if (!point.isValid() || point.source != matrix_->source) {
            return;
        }
        const double x = xOf(point.seconds);
        // Two tones, so that the line is seen on every colour of the map.
        QColor dark(Qt::black);
        QColor light(Qt::white);
        dark.setAlphaF(static_cast<float>(alpha));
        light.setAlphaF(static_cast<float>(alpha));
        painter.setPen(QPen(light, 3));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(QPen(dark, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    };
    if (cursor_->isLocked()) {
        line(cursor_->hoverPoint(), 0.35);
    }
    line(cursor_->point(), 1.0);
    painter.restore();
}

void EmbeddingPlot::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    if (!matrix_ || matrix_->values.isEmpty()) {
        return;
    }
    const QRect rect = heatmapRect();
    if (!heatmap_valid_) {
        renderHeatmap();
    }
    painter.fillRect(rect, palette().base());
    painter.drawImage(rect.topLeft(), heatmap_);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
    paintDimensions(painter);
    if (norms_shown_) {
        paintNorms(painter);
    }
    paintSeconds(painter);
    paintCursor(painter);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(this->rect().adjusted(0, 0, -1, -1));
    }
}

}  // namespace earscope
