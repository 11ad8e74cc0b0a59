#include "widgets/prompt/context_bar.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace earscope {

ContextBar::ContextBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Context"));
}

void ContextBar::setUse(const Use& use) {
    use_ = use;
    setToolTip(description());
    setAccessibleDescription(description());
    update();
}

QString ContextBar::description() const {
    if (use_.context <= 0) {
        return tr("No model");
    }
    const QLocale locale;
    const int prompt = use_.audio + use_.text;
    if (prompt == 0) {
        return tr("Budget %1 of %2 tokens")
            .arg(locale.toString(use_.budget), locale.toString(use_.context));
    }
    return tr("Prompt %1 (audio %2) + budget %3 of %4 tokens")
        .arg(locale.toString(prompt), locale.toString(use_.audio), locale.toString(use_.budget),
             locale.toString(use_.context));
}

QSize ContextBar::sizeHint() const {
    return {200, 14};
}
QSize ContextBar::minimumSizeHint() const {
    return {60, 14};
}

void ContextBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
    painter.fillRect(frame, palette().base());
    if (use_.context <= 0) {
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawRect(frame);
        return;
    }
    const double whole = std::max(use_.context, taken());
    double x = frame.left();
    const auto segment = [&](int tokens, const QBrush& brush) {
        const double width = whole > 0 ? tokens / whole * frame.width() : 0;
        painter.fillRect(QRectF(x, frame.top(), width, frame.height()), brush);
        x += width;
    };
    const QColor accent = palette().color(QPalette::Highlight);
    QColor text = palette().color(QPalette::Text);
    text.setAlphaF(0.55F);
    segment(use_.audio, accent);
    segment(use_.text, text);
    segment(use_.generated, QColor(0x00, 0x9e, 0x73));
    segment(std::max(0, use_.budget - use_.generated),
            QBrush(isOver() ? QColor(0xd5, 0x5e, 0x00) : text, Qt::BDiagPattern));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(frame);
}

}  // namespace earscope
