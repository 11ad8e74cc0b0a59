#include "widgets/signal/lane_painter.h"

#include "widgets/plot/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {

std::vector<double> laneColumns(const std::vector<double>& values, const PreparedSource& source,
                                double maximum, const TimeAxis& axis, int columns) {
    std::vector<double> heights(static_cast<std::size_t>(std::max(0, columns)), 0);
    const auto& begins = source.tokenSeconds;
    const std::size_t count = std::min(values.size(), begins.size());
    if (maximum <= 0 || columns <= 0) {
        return heights;
    }
    const double scale = columns / axis.width();
    for (std::size_t token = 0; token < count; ++token) {
        const double left = axis.xOf(begins[token]) * scale;
        const double right = axis.xOf(begins[token] + source.secondsPerToken) * scale;
        if (right <= 0 || left >= columns) {
            continue;
        }
        const int first = std::max(0, static_cast<int>(std::floor(left)));
        const int last = std::min(columns, std::max(first + 1, static_cast<int>(std::ceil(right))));
        const double height = std::clamp(values[token] / maximum, 0.0, 1.0);
        for (int x = first; x < last; ++x) {
            double& kept = heights[static_cast<std::size_t>(x)];
            kept = std::max(kept, height);
        }
    }
    return heights;
}

void paintLane(QPainter& painter, const QRect& area, const std::vector<double>& columns,
               const QPalette& palette) {
    painter.fillRect(area, palette.color(QPalette::AlternateBase));
    const double width = static_cast<double>(area.width()) / static_cast<double>(columns.size());
    const QColor color = noticeColor(palette);  // apart from waveform, play head and sources
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const double height = columns[x] * area.height();
        painter.fillRect(QRectF(area.left() + static_cast<double>(x) * width,
                                area.bottom() + 1 - height, width, height),
                         color);
    }
    painter.setPen(quietTextColor(palette));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
}

}  // namespace earscope
