#include "widgets/plot/color_bar.h"

#include "widgets/plot/theme.h"

#include <QEvent>
#include <QFontMetrics>
#include <QLocale>
#include <QPainter>

namespace earscope {

namespace {

constexpr int kBarWidth = 14;
constexpr int kGap = 4;
constexpr int kTick = 8;  // a short line and some air before the number

QString numberText(double value) {
    return QLocale().toString(value, 'g', 3);
}

}  // namespace

ColorBar::ColorBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("colorBar"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    describe();
}

void ColorBar::setMap(ColorMapId map) {
    map_ = map;
    update();
}

void ColorBar::setLimits(const ColorLimits& limits, const QString& note) {
    limits_ = limits;
    note_ = note;
    describe();
    updateGeometry();
    update();
}

void ColorBar::setUnit(const QString& unit) {
    unit_ = unit;
    describe();
    update();
}

void ColorBar::describe() {
    setAccessibleName(tr("Colour scale"));
    const QString text = tr("%1 from %2 to %3")
                             .arg(unit_.isEmpty() ? tr("value") : unit_, numberText(limits_.low),
                                  numberText(limits_.high));
    setAccessibleDescription(note_.isEmpty() ? text : text + QStringLiteral(", ") + note_);
    setToolTip(accessibleDescription());
}

QSize ColorBar::sizeHint() const {
    const QFontMetrics metrics(font());
    // Beside the bar stand the numbers; unit and note run upwards.
    const int numbers = std::max({metrics.horizontalAdvance(numberText(limits_.low)),
                                  metrics.horizontalAdvance(numberText(limits_.high)),
                                  metrics.horizontalAdvance(QStringLiteral("-0.00"))});
    return {kGap + kBarWidth + kTick + numbers + kGap + metrics.height() + kGap,
            12 * metrics.height()};
}

QSize ColorBar::minimumSizeHint() const {
    return {sizeHint().width(), 4 * QFontMetrics(font()).height()};
}

void ColorBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int edge = metrics.height() / 2 + 1;
    const QRect bar(kGap, edge, kBarWidth, std::max(1, height() - 2 * edge));
    const ColorMap& map = ColorMap::named(map_);
    QImage colors(1, ColorMap::kSize, QImage::Format_RGB32);
    for (int i = 0; i < ColorMap::kSize; ++i) {
        colors.setPixel(0, ColorMap::kSize - 1 - i, map.at(i));
    }
    painter.drawImage(bar, colors);
    painter.setPen(quietTextColor(palette()));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));

    const int text_left = bar.right() + 1 + kTick;
    const int text_width = width() - text_left;
    const auto number = [&](double value, double part) {
        const int y = bar.bottom() - static_cast<int>(part * (bar.height() - 1));
        painter.drawLine(bar.right() + 1, y, bar.right() + kTick - 5, y);
        painter.drawText(QRect(text_left, y - metrics.height() / 2, text_width, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, numberText(value));
    };
    painter.setPen(palette().color(QPalette::WindowText));
    number(limits_.low, 0);
    number(limits_.high, 1);
    if (bar.height() > 5 * metrics.height() && limits_.low < 0 && limits_.high > 0) {
        number(0, -limits_.low / (limits_.high - limits_.low));
    }

    const QString text = note_.isEmpty() ? unit_ : unit_ + QStringLiteral(" · ") + note_;
    const bool whole = metrics.horizontalAdvance(text) <= bar.height();
    painter.translate(QPoint(width() - metrics.height() - kGap / 2, bar.center().y()));
    painter.rotate(-90);
    painter.drawText(QRect(-bar.height() / 2, 0, bar.height(), metrics.height()), Qt::AlignCenter,
                     whole ? text : metrics.elidedText(unit_, Qt::ElideRight, bar.height()));
}

void ColorBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

}  // namespace earscope
