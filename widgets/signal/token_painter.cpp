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

/// Thin lines where time digits and boundaries stand. Left out where they would be closer than a
/// few pixels, all but those at the ends.
void paintSeparators(QPainter& painter, const QRect& area, const TimeAxis& axis,
                     const PreparedSource& source, const QPalette& palette) {
    double last = -1e9;
    for (const TokenSeparator& separator : tokenSeparators(source)) {
        const double x = axis.xOf(separator.seconds);
        const bool end = separator.tokens == 0;
        if (x < -2 || x > axis.width() + 2 || (!end && x - last < kNarrowestCell)) {
            continue;
        }
        last = x;
        // Two tones, so that the line is seen on every cell.
        const QPointF top(area.left() + x, area.top());
        const QPointF bottom(area.left() + x, area.bottom() + 1);
        painter.setPen(QPen(palette.color(QPalette::Base), 3));
        painter.drawLine(top, bottom);
        painter.setPen(QPen(palette.color(QPalette::Text), end ? 2 : 1));
        painter.drawLine(top, bottom);
    }
}

/// Text in the visible part of a cell, if it fits.
void cellText(QPainter& painter, const QRect& area, const QRectF& cell, const QString& text) {
    const QRectF visible = cell.intersected(QRectF(area));
    if (painter.fontMetrics().horizontalAdvance(text) + 4 <= visible.width()) {
        painter.drawText(visible, Qt::AlignCenter, text);
    }
}

}  // namespace

std::vector<TokenSeparator> tokenSeparators(const PreparedSource& source) {
    const std::vector<int>& positions = source.tokenPositions;
    const std::vector<double>& begins = source.tokenSeconds;
    if (begins.empty() || positions.size() != begins.size()) {
        return {};
    }
    std::vector<TokenSeparator> separators{{begins.front(), 0}};
    for (std::size_t i = 1; i < positions.size(); ++i) {
        const int between = positions[i] - positions[i - 1] - 1;
        if (between > 0) {
            separators.push_back({begins[i], between});
        }
    }
    separators.push_back({begins.back() + source.secondsPerToken, 0});
    return separators;
}

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
        paintSeparators(painter, area, axis, source, palette);
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
    paintSeparators(painter, area, axis, source, palette);
    painter.restore();
}

}  // namespace earscope
