#include "widgets/signal/signal_strip.h"

#include "widgets/plot/theme.h"
#include "widgets/signal/lane_painter.h"
#include "widgets/signal/waveform_painter.h"

#include <QFileInfo>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr double kFramesPerSecond = 100;

/// Grey of middling contrast, so that strong colours stand out of the dark and of the light parts.
void makeGrey(QImage& image) {
    for (int y = 0; y < image.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x) {
            const int grey = 40 + qGray(line[x]) * 5 / 8;
            line[x] = qAlpha(line[x]) == 0 ? line[x] : qRgb(grey, grey, grey);
        }
    }
}

}  // namespace

SignalStrip::SignalStrip(SignalSource source, int index)
    : source_(std::move(source)), index_(index) {
    if (source_.prepared) {
        windows_ = windowSpans(*source_.prepared);
    }
}

double SignalStrip::durationSeconds() const {
    const double prepared = source_.prepared ? source_.prepared->durationSeconds : 0;
    return std::max(source_.sound.durationSeconds, prepared);
}

void SignalStrip::reduce(const SignalStrip* older) {
    if (!source_.prepared || source_.prepared->mel.isEmpty()) {
        return;
    }
    if (older != nullptr && older->hasMel() &&
        older->mel_.values().data == source_.prepared->mel.data) {
        mel_ = older->mel_;
        mel_limits_ = older->mel_limits_;
        return;
    }
    mel_ = MatrixPyramid(source_.prepared->mel, Reduction::Max);
    mel_limits_ = robustLimits(source_.prepared->mel);
}

void SignalStrip::setLayout(const StripLayout& layout) {
    if (layout.whole.size() != layout_.whole.size()) {
        invalidate();
    }
    layout_ = layout;
}

void SignalStrip::setLane(std::vector<double> values, double maximum, const QString& title) {
    lane_ = std::move(values);
    lane_maximum_ = maximum;
    lane_title_ = title;
    invalidate();
}

void SignalStrip::setOverlay(const TensorValue& map, const ColorLimits& limits) {
    if (map.data != overlay_values_.data) {
        overlay_values_ = map;
        overlay_ = map.isEmpty() ? MatrixPyramid() : MatrixPyramid(map, Reduction::MaxAbs);
    }
    overlay_limits_ = limits;
    invalidate();
}

void SignalStrip::paint(QPainter& painter, const TimeAxis& axis, const StripStyle& style) {
    const bool fresh = !image_.isNull() && image_begin_ == axis.begin() &&
                       image_end_ == axis.end() && image_.devicePixelRatio() == style.pixelRatio;
    if (!fresh && !layout_.whole.isEmpty()) {
        image_ =
            QPixmap(QSize(static_cast<int>(std::ceil(layout_.whole.width() * style.pixelRatio)),
                          static_cast<int>(std::ceil(layout_.whole.height() * style.pixelRatio))));
        image_.setDevicePixelRatio(style.pixelRatio);
        image_.fill(style.palette.color(QPalette::Base));
        image_begin_ = axis.begin();
        image_end_ = axis.end();
        QPainter own(&image_);
        own.setFont(style.font);
        own.translate(-layout_.whole.topLeft());
        paintMargin(own, style);
        paintSound(own, axis, style);
        if (source_.prepared) {
            paintLaneOfTokens(own, axis, style);
            paintMel(own, axis, style);
            paintWindows(own, layout_.windows, axis, windows_, style.windowPattern, style.palette);
            paintTokens(own, layout_.tokens, axis, *source_.prepared,
                        sourceColor(index_, style.palette), style.palette);
            paintUnseen(own, axis, style);
        }
    }
    painter.drawPixmap(layout_.whole.topLeft(), image_);
}

void SignalStrip::paintMargin(QPainter& painter, const StripStyle& style) const {
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect margin = layout_.margin.adjusted(4, 0, -6, 0);
    // The number on the source's colour; the colour never stands alone.
    const QString number = QLocale().toString(index_ + 1);
    const int badge_width = metrics.horizontalAdvance(number) + 8;
    const QRect badge(margin.left(), margin.top() + 1, badge_width, metrics.height());
    const QColor color = sourceColor(index_, style.palette);
    painter.fillRect(badge, color);
    painter.setPen(readableOn(color));
    painter.drawText(badge, Qt::AlignCenter, number);

    // Two lines, because names are long and their ends tell takes apart.
    const QRect name(badge.right() + 5, margin.top() + 1, margin.right() - badge.right() - 4,
                     2 * metrics.height());
    const QString label =
        source_.label.isEmpty() ? QFileInfo(source_.sound.path).fileName() : source_.label;
    painter.setPen(style.palette.color(QPalette::Text));
    // Breaking anywhere costs up to one letter at the end of the first line.
    const int room = 2 * name.width() - metrics.maxWidth() / 2;
    painter.drawText(name, Qt::AlignLeft | Qt::TextWrapAnywhere,
                     metrics.elidedText(label, Qt::ElideMiddle, room));

    painter.setPen(quietTextColor(style.palette));
    const QRect wave(margin.left(), layout_.waveform.top(), margin.width(),
                     layout_.waveform.height());
    if (wave.height() >= 3 * metrics.height() && source_.sound.sampleRate > 0) {
        const QString rate = QLocale().toString(source_.sound.sampleRate / 1000.0, 'g', 4);
        painter.drawText(wave, Qt::AlignRight | Qt::AlignBottom,
                         SignalView::tr("%1 kHz · ±1").arg(rate));
    }
    if (source_.prepared) {
        paintMelScale(painter, style);
        const auto line = [&](const QRect& part, const QString& text) {
            painter.drawText(QRect(margin.left(), part.top(), margin.width(), part.height()),
                             Qt::AlignRight | Qt::AlignVCenter, text);
        };
        line(layout_.windows, style.windowPattern.arg(QString()).trimmed());
        line(layout_.tokens, SignalView::tr("token"));
    }
}

void SignalStrip::paintMelScale(QPainter& painter, const StripStyle& style) const {
    const QFontMetrics metrics = painter.fontMetrics();
    const auto rows = static_cast<int>(std::max<qint64>(mel_.rows(), 1));
    const QRect mel = layout_.mel;
    const int step = mel.height() >= 9 * metrics.height() ? 32 : 64;
    int last_top = mel.bottom() + 2 * metrics.height();
    for (int bin = 0; bin <= rows; bin += step) {
        const int shown = std::min(bin, rows - 1);
        const double y = mel.bottom() + 1 - (shown + 0.5) / rows * mel.height();
        const int top = std::clamp(static_cast<int>(y) - metrics.height() / 2, mel.top(),
                                   mel.bottom() + 1 - metrics.height());
        if (top + metrics.height() > last_top) {
            continue;
        }
        last_top = top;
        const double hz = melBinHz(shown);
        const QString frequency =
            hz < 1000 ? SignalView::tr("%1 Hz").arg(QLocale().toString(std::lround(hz)))
                      : SignalView::tr("%1 kHz").arg(QLocale().toString(hz / 1000, 'f', 1));
        painter.setPen(quietTextColor(style.palette));
        painter.drawText(
            QRect(layout_.margin.left(), top, layout_.margin.width() - 6, metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter,
            SignalView::tr("bin %1 · %2").arg(shown).arg(frequency));
        painter.drawLine(QPointF(mel.left() - 4, y), QPointF(mel.left() - 1, y));
    }
}

void SignalStrip::paintSound(QPainter& painter, const TimeAxis& axis,
                             const StripStyle& style) const {
    const QRect area = layout_.waveform;
    const SourceValue& sound = source_.sound;
    if (!sound.peaks || !sound.mono || sound.sampleRate <= 0) {
        painter.setPen(quietTextColor(style.palette));
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, source_.message);
        return;
    }
    const int columns = static_cast<int>(std::ceil(area.width() * style.pixelRatio));
    if (columns > 0) {
        paintWaveform(painter, area,
                      waveformColumns(*sound.peaks, *sound.mono, sound.sampleRate, axis, columns,
                                      area.height()),
                      style.pixelRatio, style.palette);
    }
    if (!source_.prepared && !source_.message.isEmpty()) {
        painter.setPen(quietTextColor(style.palette));
        const QRect line = layout_.message.adjusted(0, 0, -6, 0);
        painter.drawText(
            line, Qt::AlignRight | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(source_.message, Qt::ElideRight, line.width()));
    }
}

void SignalStrip::paintLaneOfTokens(QPainter& painter, const TimeAxis& axis,
                                    const StripStyle& style) const {
    const QRect area = layout_.lane;
    if (area.isEmpty() || !hasLane()) {
        return;
    }
    const int columns = static_cast<int>(std::ceil(area.width() * style.pixelRatio));
    paintLane(painter, area, laneColumns(lane_, *source_.prepared, lane_maximum_, axis, columns),
              style.palette);
    const QRect margin(layout_.margin.left() + 4, area.top(), layout_.margin.width() - 10,
                       area.height());
    painter.setPen(quietTextColor(style.palette));
    painter.drawText(margin, Qt::AlignRight | Qt::AlignTop,
                     QLocale().toString(lane_maximum_, 'g', 3));
    painter.drawText(margin, Qt::AlignRight | Qt::AlignBottom, QStringLiteral("0"));
    painter.setPen(style.palette.color(QPalette::Text));
    painter.drawText(margin, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, lane_title_);
}

void SignalStrip::paintMel(QPainter& painter, const TimeAxis& axis, const StripStyle& style) const {
    const QRect area = layout_.mel;
    if (area.isEmpty() || mel_.isEmpty()) {
        painter.setPen(quietTextColor(style.palette));
        painter.drawText(area, Qt::AlignCenter, source_.message);
        return;
    }
    MatrixRender render;
    render.size = QSize(static_cast<int>(std::ceil(area.width() * style.pixelRatio)),
                        static_cast<int>(std::ceil(area.height() * style.pixelRatio)));
    render.firstColumn = axis.begin() * kFramesPerSecond;
    render.lastColumn = axis.end() * kFramesPerSecond;
    render.firstRowAtBottom = true;
    render.limits = style.melLimits;
    render.map = ColorMapId::Magma;
    MatrixImage drawn = renderMatrix(mel_, render);
    if (overlay_.isEmpty()) {
        drawn.image.setDevicePixelRatio(style.pixelRatio);
        painter.drawImage(area.topLeft(), drawn.image);
        return;
    }
    // Hue is the overlay's alone, so the mel gives up its own.
    makeGrey(drawn.image);
    render.limits = overlay_limits_;
    render.map = ColorMap::diverging(style.palette).id();
    render.fadeToZero = true;
    MatrixImage over = renderMatrix(overlay_, render);
    for (QImage* image : {&drawn.image, &over.image}) {
        image->setDevicePixelRatio(style.pixelRatio);
        painter.drawImage(area.topLeft(), *image);
    }
}

void SignalStrip::paintUnseen(QPainter& painter, const TimeAxis& axis,
                              const StripStyle& style) const {
    const double seen = seenEndSeconds(source_.sound.durationSeconds, *source_.prepared);
    if (seen >= source_.sound.durationSeconds || seen >= axis.end()) {
        return;
    }
    const double left = std::max(0.0, axis.xOf(seen));
    const double right = std::min(axis.width(), axis.xOf(source_.sound.durationSeconds));
    const QRectF area(layout_.waveform.left() + left, layout_.whole.top(), right - left,
                      layout_.tokens.bottom() + 1 - layout_.whole.top());
    QColor veil = style.palette.color(QPalette::Window);
    veil.setAlphaF(0.72F);
    painter.fillRect(area, veil);
    painter.fillRect(area, QBrush(quietTextColor(style.palette), Qt::BDiagPattern));
    // One line if it fits, else one word a line, else only the tooltip says it.
    const QRectF text = painter.boundingRect(area.adjusted(6, 0, -6, 0),
                                             Qt::AlignCenter | Qt::TextWordWrap, style.unseenText);
    if (text.width() + 12 <= area.width() && text.height() <= area.height()) {
        painter.fillRect(text.adjusted(-5, -3, 5, 3), style.palette.color(QPalette::Base));
        painter.setPen(style.palette.color(QPalette::Text));
        painter.drawText(text, Qt::AlignCenter | Qt::TextWordWrap, style.unseenText);
    }
}

}  // namespace earscope
