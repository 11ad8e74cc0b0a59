#include "widgets/look/scatter_view.h"

#include "widgets/plot/color_map.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/plot/theme.h"
#include "widgets/tokens/token_table_model.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr double kReach = 8;  // pixels from a point that still mean it

}  // namespace

ScatterView::ScatterView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Principal components of the tokens"));
}

void ScatterView::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, &ScatterView::onCursorMoved);
        connect(cursor_, &CursorModel::hoverChanged, this, qOverload<>(&QWidget::update));
    }
}

void ScatterView::setScatter(std::shared_ptr<const Scatter> scatter) {
    scatter_ = std::move(scatter);
    for (int axis = 0; axis < 2; ++axis) {
        low_[axis] = -1;
        high_[axis] = 1;
        if (!scatter_ || scatter_->points.empty()) {
            continue;
        }
        const auto at = static_cast<std::size_t>(axis);
        const auto [low, high] =
            std::minmax_element(scatter_->points.begin(), scatter_->points.end(),
                                [at](const auto& a, const auto& b) { return a[at] < b[at]; });
        const double margin = std::max(1e-6, ((*high)[at] - (*low)[at]) * 0.05);
        low_[axis] = (*low)[at] - margin;
        high_[axis] = (*high)[at] + margin;
    }
    onCursorMoved();
}

QSize ScatterView::sizeHint() const {
    return {360, 240};
}

QSize ScatterView::minimumSizeHint() const {
    return {160, 110};
}

QRect ScatterView::plotRect() const {
    const int line = fontMetrics().height();
    const int left = line + fontMetrics().horizontalAdvance(QStringLiteral("-0000.0")) + 8;
    return QRect(0, 0, width(), height()).adjusted(left, 6, -8, -2 * line - 8);
}

QPointF ScatterView::placeOf(int point) const {
    const QRect rect = plotRect();
    const auto& at = scatter_->points[static_cast<std::size_t>(point)];
    return {rect.left() + (at[0] - low_[0]) / (high_[0] - low_[0]) * rect.width(),
            rect.bottom() - (at[1] - low_[1]) / (high_[1] - low_[1]) * rect.height()};
}

int ScatterView::pointAt(const QPointF& position) const {
    int best = -1;
    double nearest = kReach * kReach;
    for (int i = 0; scatter_ && i < static_cast<int>(scatter_->points.size()); ++i) {
        const QPointF away = placeOf(i) - position;
        const double distance = QPointF::dotProduct(away, away);
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

int ScatterView::currentPoint() const {
    if (!scatter_ || !cursor_ || cursor_->point().source != scatter_->source) {
        return -1;
    }
    const int token = cursor_->token();
    return token < static_cast<int>(scatter_->points.size()) ? token : -1;
}

QString ScatterView::describe(int point) const {
    if (!scatter_ || point < 0) {
        return {};
    }
    const auto index = static_cast<std::size_t>(point);
    const QLocale locale;
    return tr("%1\nPC1 %2, PC2 %3")
        .arg(tokenDescription((*scatter_->tokens)[index]), numberText(scatter_->points[index][0]),
             numberText(scatter_->points[index][1]));
}

void ScatterView::onCursorMoved() {
    setAccessibleDescription(
        describe(currentPoint()).replace(QLatin1Char('\n'), QStringLiteral(", ")));
    update();
}

bool ScatterView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int point = pointAt(help->pos());
        if (point < 0) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), describe(point), this);
        }
        return true;
    }
    return QWidget::event(event);
}

void ScatterView::mouseMoveEvent(QMouseEvent* event) {
    if (!cursor_) {
        return;
    }
    const int point = pointAt(event->position());
    if (point >= 0) {
        cursor_->hoverToken(scatter_->source, point);
    } else {
        cursor_->leave();
    }
}

void ScatterView::mouseReleaseEvent(QMouseEvent* event) {
    const int point = pointAt(event->position());
    if (cursor_ && point >= 0 && event->button() == Qt::LeftButton) {
        cursor_->lockToken(scatter_->source, point);
    }
}

void ScatterView::leaveEvent(QEvent* event) {
    if (cursor_) {
        cursor_->leave();
    }
    QWidget::leaveEvent(event);
}

void ScatterView::keyPressEvent(QKeyEvent* event) {
    const bool left = event->key() == Qt::Key_Left;
    if (cursor_ && scatter_ && (left || event->key() == Qt::Key_Right)) {
        if (cursor_->point().source != scatter_->source) {
            cursor_->lockToken(scatter_->source, 0);
        } else {
            cursor_->moveToken(left ? -1 : 1);
        }
        return;
    }
    QWidget::keyPressEvent(event);
}

void ScatterView::paintAxes(QPainter& painter) const {
    const QRect rect = plotRect();
    const int line = painter.fontMetrics().height();
    const QLocale locale;
    painter.fillRect(rect, palette().base());
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
    painter.setPen(palette().color(QPalette::Text));
    const auto title = [&](int axis) {
        const double share = 100 * scatter_->share[static_cast<std::size_t>(axis)];
        return tr("PC%1 (%2 % of the variance)")
            .arg(QString::number(axis + 1), locale.toString(share, 'f', 1));
    };
    painter.drawText(QRect(rect.left(), rect.bottom() + 4, rect.width(), line), Qt::AlignLeft,
                     numberText(low_[0]));
    painter.drawText(QRect(rect.left(), rect.bottom() + 4, rect.width(), line), Qt::AlignRight,
                     numberText(high_[0]));
    painter.drawText(QRect(rect.left(), height() - line, rect.width(), line), Qt::AlignCenter,
                     title(0));
    const int numbers = rect.left() - 4;
    painter.drawText(QRect(0, rect.top(), numbers, line), Qt::AlignRight, numberText(high_[1]));
    painter.drawText(QRect(0, rect.bottom() - line, numbers, line), Qt::AlignRight,
                     numberText(low_[1]));
    painter.save();
    painter.translate(line / 2 + 1, rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRect(-height() / 2, -line / 2, height(), line), Qt::AlignCenter, title(1));
    painter.restore();
}

void ScatterView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    if (!scatter_ || scatter_->points.empty()) {
        return;
    }
    paintAxes(painter);
    const ColorMap& map = ColorMap::named(ColorMapId::Viridis);
    const auto count = static_cast<int>(scatter_->points.size());
    painter.setRenderHint(QPainter::Antialiasing, count < 5'000);
    const double radius = count < 2'000 ? 3.0 : 1.8;
    QColor edge = palette().color(QPalette::Text);
    edge.setAlphaF(0.35F);
    for (int i = 0; i < count; ++i) {
        painter.setPen(count < 2'000 ? QPen(edge, 0.7) : QPen(Qt::NoPen));
        painter.setBrush(QColor(map.color(static_cast<float>(i), 0, static_cast<float>(count))));
        painter.drawEllipse(placeOf(i), radius, radius);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const int current = currentPoint();
    if (current >= 0) {
        painter.setPen(QPen(palette().color(QPalette::Base), 4));
        painter.drawEllipse(placeOf(current), 7, 7);
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        painter.drawEllipse(placeOf(current), 7, 7);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

}  // namespace earscope
