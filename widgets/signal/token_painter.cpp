#include "widgets/signal/token_painter.h"

#include "widgets/plot/theme.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr double kWindowSeconds = 30;  // Music Flamingo
constexpr double kFramesPerSecond = 100;
constexpr double kNarrowestCell = 4;  // pixels

/// The visible pixels of a stretch of time, a hair inside the area.
QRectF cellOf(const QRect& area, const TimeAxis& axis, double begin, double end) {
    const double left = std::max(axis.xOf(begin), -2.0);
    const double right = std::min(axis.xOf(end), axis.width() + 2.0);
    return {area.left() + left, static_cast<double>(area.top()), right - left,
            static_cast<double>(area.height())};
}

/// Text in the visible part of a cell, if it fits.
void cellText(QPainter& painter, const QRect& area, const QRectF& cell, const QString& text) {
    const QRectF visible = cell.intersected(QRectF(area));
    if (painter.fontMetrics().horizontalAdvance(text) + 4 <= visible.width()) {
        painter.drawText(visible, Qt::AlignCenter, text);
    }
}

}  // namespace

std::vector<WindowSpan> windowSpans(const PreparedSource& source) {
    std::vector<WindowSpan> spans;
    double begin = 0;
    for (const int tokens : source.windowTokens) {
        const double end = std::min(begin + kWindowSeconds, source.durationSeconds);
        spans.push_back({begin, std::max(begin, end), tokens});
        begin += kWindowSeconds;
    }
    if (!spans.empty()) {
        return spans;
    }
    begin = 0;
    for (const int frames : source.chunkFrames) {
        const double end = begin + frames / kFramesPerSecond;
        spans.push_back({begin, end, -1});
        begin = end;
    }
    return spans;
}

double seenEndSeconds(double soundSeconds, const PreparedSource& source) {
    // Resampling rounds the length up to a whole sample of 1/16000 s.
    constexpr double kRounding = 0.001;
    return source.durationSeconds + kRounding < soundSeconds ? source.durationSeconds
                                                             : soundSeconds;
}

void paintWindows(QPainter& painter, const QRect& area, const TimeAxis& axis,
                  const std::vector<WindowSpan>& spans, const QString& labelPattern,
                  const QPalette& palette) {
    painter.save();
    painter.setClipRect(area);
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    const auto first = std::partition_point(
        spans.begin(), spans.end(),
        [&](const WindowSpan& span) { return span.endSeconds < axis.begin(); });
    for (auto span = first; span != spans.end() && span->beginSeconds <= axis.end(); ++span) {
        const auto index = span - spans.begin();
        const QRectF cell = cellOf(area, axis, span->beginSeconds, span->endSeconds);
        painter.fillRect(cell, blended(text, base, index % 2 == 0 ? 0.16 : 0.08));
        painter.setPen(QPen(quietTextColor(palette), 0));
        if (cell.width() >= kNarrowestCell) {
            painter.drawLine(cell.topLeft(), cell.bottomLeft());
        }
        painter.setPen(text);
        const QString number = QLocale().toString(index + 1);
        QString label = labelPattern.arg(number);
        if (span->tokens >= 0) {
            label =
                QCoreApplication::translate("SignalView", "%1 · %Ln tokens", nullptr, span->tokens)
                    .arg(label);
        }
        const int room = static_cast<int>(cell.intersected(QRectF(area)).width());
        cellText(painter, area, cell,
                 painter.fontMetrics().horizontalAdvance(label) + 4 <= room ? label : number);
    }
    painter.restore();
}

void paintTokens(QPainter& painter, const QRect& area, const TimeAxis& axis,
                 const PreparedSource& source, const QColor& color, const QPalette& palette) {
    const std::vector<double>& begins = source.tokenSeconds;
    if (begins.empty()) {
        return;
    }
    painter.save();
    painter.setClipRect(area);
    const QColor even = blended(color, palette.color(QPalette::Base), 0.75);
    const QColor odd = blended(color, palette.color(QPalette::Base), 0.5);
    const double cell_pixels = source.secondsPerToken / axis.span() * axis.width();
    if (cell_pixels < kNarrowestCell) {
        const QRectF band =
            cellOf(area, axis, begins.front(), begins.back() + source.secondsPerToken);
        painter.fillRect(band, even);
        painter.setPen(readableOn(even));
        cellText(painter, area, band,
                 QCoreApplication::translate("SignalView", "%Ln tokens", nullptr,
                                             static_cast<int>(begins.size())));
        painter.restore();
        return;
    }
    const auto first =
        std::lower_bound(begins.begin(), begins.end(), axis.begin() - source.secondsPerToken);
    for (auto begin = first; begin != begins.end() && *begin <= axis.end(); ++begin) {
        const auto index = begin - begins.begin();
        const QRectF cell = cellOf(area, axis, *begin, *begin + source.secondsPerToken);
        const QColor fill = index % 2 == 0 ? even : odd;
        painter.fillRect(cell, fill);
        painter.setPen(readableOn(fill));
        cellText(painter, area, cell, QString::number(index));
    }
    painter.restore();
}

}  // namespace earscope
