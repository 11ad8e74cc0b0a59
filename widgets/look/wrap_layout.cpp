#include "widgets/look/wrap_layout.h"

#include <QWidget>

#include <algorithm>

namespace earscope {

WrapLayout::WrapLayout(QWidget* parent) : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(6);
}

WrapLayout::~WrapLayout() {
    qDeleteAll(items_);
}

void WrapLayout::addItem(QLayoutItem* item) {
    items_.append(item);
}

int WrapLayout::count() const {
    return static_cast<int>(items_.size());
}

QLayoutItem* WrapLayout::itemAt(int index) const {
    return items_.value(index);
}

QLayoutItem* WrapLayout::takeAt(int index) {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

int WrapLayout::heightForWidth(int width) const {
    const QMargins edge = contentsMargins();
    return edge.top() + edge.bottom() +
           arrange(QRect(0, 0, width - edge.left() - edge.right(), 0), false);
}

QSize WrapLayout::sizeHint() const {
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            width += item->sizeHint().width() + spacing();
            height = std::max(height, item->sizeHint().height());
        }
    }
    return QSize(width, height).grownBy(contentsMargins());
}

QSize WrapLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    return size.grownBy(contentsMargins());
}

void WrapLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect.marginsRemoved(contentsMargins()), true);
}

int WrapLayout::arrange(const QRect& rect, bool place) const {
    int x = 0;
    int y = 0;
    int line = 0;
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) {
            continue;
        }
        QSize size = item->sizeHint().expandedTo(item->minimumSize());
        size.setWidth(std::min(size.width(), std::max(rect.width(), 1)));
        if (x > 0 && x + size.width() > rect.width()) {
            x = 0;
            y += line + spacing() / 2;
            line = 0;
        }
        if (place) {
            const int left = parentWidget() != nullptr && parentWidget()->isRightToLeft()
                                 ? rect.right() + 1 - x - size.width()
                                 : rect.left() + x;
            item->setGeometry(QRect(QPoint(left, rect.top() + y), size));
        }
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    return y + line;
}

}  // namespace earscope
