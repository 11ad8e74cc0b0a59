#include "widgets/signal/waveform_painter.h"

#include "audio/peaks.h"
#include "widgets/plot/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {

std::vector<WaveformColumn> waveformColumns(const PeakPyramid& peaks,
                                            std::span<const float> samples, int sampleRate,
                                            const TimeAxis& axis, int columns, double height) {
    const double begin = axis.begin() * sampleRate;
    const double end = axis.end() * sampleRate;
    const std::vector<Peak> found = peaks.columns(samples, begin, end, columns);
    const double step = (end - begin) / columns;
    const auto length = static_cast<double>(peaks.sample_count());
    std::vector<WaveformColumn> result(found.size());
    const auto yOf = [height](float value) {
        return (1 - std::clamp(static_cast<double>(value), -1.0, 1.0)) / 2 * height;
    };
    for (std::size_t x = 0; x < found.size(); ++x) {
        const double from = begin + static_cast<double>(x) * step;
        if (from >= length || from + step <= 0) {
            continue;
        }
        result[x] = {yOf(found[x].max), yOf(found[x].min), false, found[x].max > 1,
                     found[x].min < -1};
    }
    for (std::size_t x = 1; x < result.size(); ++x) {
        WaveformColumn& left = result[x - 1];
        WaveformColumn& right = result[x];
        if (left.empty || right.empty) {
            continue;
        }
        // The step between two columns belongs to the right one; no peak is drawn shorter by it.
        right.top = std::min(right.top, yOf(found[x - 1].min));
        right.bottom = std::max(right.bottom, yOf(found[x - 1].max));
    }
    return result;
}

void paintWaveform(QPainter& painter, const QRect& area, const std::vector<WaveformColumn>& columns,
                   double pixelsPerUnit, const QPalette& palette) {
    painter.save();
    const auto isSound = [](const WaveformColumn& column) { return !column.empty; };
    const auto first = std::find_if(columns.begin(), columns.end(), isSound) - columns.begin();
    const auto last =
        columns.rend() - std::find_if(columns.rbegin(), columns.rend(), isSound);  // exclusive
    const double middle = area.top() + area.height() / 2.0;
    if (first < last) {
        painter.setPen(QPen(palette.color(QPalette::Mid), 0));
        painter.drawLine(QPointF(area.left() + static_cast<double>(first) / pixelsPerUnit, middle),
                         QPointF(area.left() + static_cast<double>(last) / pixelsPerUnit, middle));
    }

    QVector<QRectF> bars;
    QVector<QRectF> clipped;
    bars.reserve(static_cast<qsizetype>(columns.size()));
    const double width = 1 / pixelsPerUnit;
    constexpr double kMark = 4;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const WaveformColumn& column = columns[x];
        if (column.empty) {
            continue;
        }
        const double left = area.left() + static_cast<double>(x) * width;
        const double height = std::max(column.bottom - column.top, width);
        bars.append(QRectF(left, area.top() + column.top, width, height));
        if (column.over) {
            clipped.append(QRectF(left, area.top(), std::max(width, 3.0), kMark));
        }
        if (column.under) {
            clipped.append(QRectF(left, area.bottom() + 1 - kMark, std::max(width, 3.0), kMark));
        }
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(waveformColor(palette));
    painter.drawRects(bars);
    painter.setBrush(errorColor(palette));
    painter.drawRects(clipped);
    painter.restore();
}

}  // namespace earscope
