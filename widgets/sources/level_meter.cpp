#include "widgets/sources/level_meter.h"

#include "widgets/plot/theme.h"

#include <QAccessible>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr qint64 kHoldMilliseconds = 1500;

double decibels(double linear) {
    return linear > 0 ? std::max(LevelMeter::kFloorDb, 20 * std::log10(linear))
                      : LevelMeter::kFloorDb;
}

}  // namespace

LevelMeter::LevelMeter(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("levelMeter"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Input level"));
    describe();
}

void LevelMeter::setLevel(double peak, double rms) {
    peak_db_ = decibels(peak);
    rms_db_ = decibels(rms);
    overloaded_ = overloaded_ || peak >= 1;
    if (peak_db_ >= held_db_ || !held_since_.isValid() ||
        held_since_.elapsed() > kHoldMilliseconds) {
        held_db_ = peak_db_;
        held_since_.start();
    }
    describe();
    update();
}

void LevelMeter::clear() {
    peak_db_ = rms_db_ = held_db_ = kFloorDb;
    held_since_.invalidate();
    overloaded_ = false;
    describe();
    update();
}

void LevelMeter::describe() {
    const QString level = peak_db_ <= kFloorDb
                              ? tr("silence")
                              : tr("%1 dB").arg(QLocale().toString(peak_db_, 'f', 0));
    const QString text = overloaded_ ? tr("%1, overloaded").arg(level) : level;
    setToolTip(tr("Peak %1").arg(text));
    setAccessibleDescription(text);
}

QSize LevelMeter::sizeHint() const {
    return {160, fontMetrics().height() + 14};
}

QSize LevelMeter::minimumSizeHint() const {
    return {100, fontMetrics().height() + 14};
}

void LevelMeter::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const QRect bar(0, 0, width(), 12);
    const QColor base = palette().color(QPalette::Base);
    const QColor color = waveformColor(palette());
    painter.fillRect(bar, base);
    const auto xOf = [&](double db) {
        return bar.left() + (1 - db / kFloorDb) * (bar.width() - 1);
    };
    painter.fillRect(
        QRectF(bar.left(), bar.top() + 1, xOf(peak_db_) - bar.left(), bar.height() - 2),
        blended(color, base, 0.5));
    painter.fillRect(QRectF(bar.left(), bar.top() + 1, xOf(rms_db_) - bar.left(), bar.height() - 2),
                     color);
    if (held_db_ > kFloorDb) {
        const bool hot = held_db_ > -1;
        painter.fillRect(QRectF(xOf(held_db_) - 2, bar.top() + 1, 2, bar.height() - 2),
                         hot ? errorColor(palette()) : palette().color(QPalette::Text));
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    if (overloaded_) {
        painter.fillRect(QRect(bar.right() - 5, bar.top(), 6, bar.height()), errorColor(palette()));
    }
    painter.setPen(quietTextColor(palette()));
    const QFontMetrics metrics = fontMetrics();
    for (const double db : {-60.0, -40.0, -20.0, 0.0}) {
        const QString text = db == 0 ? tr("0 dB") : QLocale().toString(db, 'f', 0);
        const int text_width = metrics.horizontalAdvance(text);
        const double left = std::clamp<double>(xOf(db) - text_width / 2.0, 0, width() - text_width);
        painter.drawText(QPointF(left, bar.bottom() + 2 + metrics.ascent()), text);
    }
}

}  // namespace earscope
