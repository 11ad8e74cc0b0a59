#include "widgets/sources/glyphs.h"

#include "widgets/plot/theme.h"

#include <QPainter>
#include <QPixmap>

namespace earscope {

namespace {

/// On a square of side 16.
void paintGlyph(QPainter& painter, Glyph glyph, const QColor& color) {
    painter.setRenderHint(QPainter::Antialiasing);
    const QPen stroke(color, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    switch (glyph) {
        case Glyph::Play:
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawPolygon(QPolygonF{QPointF(4, 2), QPointF(14, 8), QPointF(4, 14)});
            break;
        case Glyph::Stop:
            painter.fillRect(QRectF(3.5, 3.5, 9, 9), color);
            break;
        case Glyph::Up:
            painter.setPen(stroke);
            painter.drawPolyline(
                QPolygonF{QPointF(3.5, 10.5), QPointF(8, 5.5), QPointF(12.5, 10.5)});
            break;
        case Glyph::Down:
            painter.setPen(stroke);
            painter.drawPolyline(
                QPolygonF{QPointF(3.5, 5.5), QPointF(8, 10.5), QPointF(12.5, 5.5)});
            break;
        case Glyph::Remove:
            painter.setPen(stroke);
            painter.drawLine(QPointF(4, 4), QPointF(12, 12));
            painter.drawLine(QPointF(12, 4), QPointF(4, 12));
            break;
        case Glyph::Add:
            painter.setPen(stroke);
            painter.drawLine(QPointF(8, 3), QPointF(8, 13));
            painter.drawLine(QPointF(3, 8), QPointF(13, 8));
            break;
        case Glyph::Record:
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(QRectF(3, 3, 10, 10));
            break;
    }
}

QPixmap pixmapOf(Glyph glyph, const QColor& color, double ratio) {
    constexpr int kSide = 16;
    QPixmap pixmap(QSize(kSide, kSide) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintGlyph(painter, glyph, color);
    return pixmap;
}

}  // namespace

QIcon glyphIcon(Glyph glyph, const QPalette& palette) {
    const QColor enabled =
        glyph == Glyph::Record ? errorColor(palette) : palette.color(QPalette::ButtonText);
    const QColor disabled = blended(palette.color(QPalette::Active, QPalette::ButtonText),
                                    palette.color(QPalette::Active, QPalette::Button), 0.35);
    QIcon icon;
    for (const double ratio : {1.0, 2.0}) {
        icon.addPixmap(pixmapOf(glyph, enabled, ratio));
        icon.addPixmap(pixmapOf(glyph, disabled, ratio), QIcon::Disabled);
    }
    return icon;
}

}  // namespace earscope
