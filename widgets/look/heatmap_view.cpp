#include "widgets/look/heatmap_view.h"

#include "widgets/plot/cursor_model.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr double kFewestCells = 4;

/// Zooms [first, last) of `all` cells so that `at` stays where it is.
void zoomRange(double& first, double& last, double all, double at, double factor) {
    const double span = last - first;
    const double wanted = std::clamp(span * factor, std::min(kFewestCells, all), all);
    const double begin = at - (at - first) * wanted / std::max(span, 1e-9);
    first = std::clamp(begin, 0.0, all - wanted);
    last = first + wanted;
}

/// Moves [first, last) as little as needed to hold all of one cell.
void revealCell(double& first, double& last, qint64 cell) {
    const double span = last - first;
    const auto begin = static_cast<double>(cell);
    if (begin < first) {
        first = begin;
    } else if (begin + 1 > last) {
        first = begin + 1 - span;
    } else {
        return;
    }
    last = first + span;
}

}  // namespace

HeatmapView::HeatmapView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Heatmap"));
}

void HeatmapView::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, &HeatmapView::onCursorMoved);
        connect(cursor_, &CursorModel::hoverChanged, this, qOverload<>(&QWidget::update));
        connect(cursor_, &CursorModel::rangeChanged, this, qOverload<>(&QWidget::update));
    }
}

void HeatmapView::setMap(HeatmapPointer map) {
    const auto same = [&](auto count) { return map_ && map && count(*map_) == count(*map); };
    const bool same_columns = same([](const Heatmap& m) { return m.values.columns(); });
    const bool same_rows = same([](const Heatmap& m) { return m.values.rows(); });
    map_ = std::move(map);
    if (!same_columns || !same_rows) {
        row_ = same_rows ? row_ : -1;
        column_ = same_columns ? column_ : -1;
        const double first = first_column_;
        const double last = last_column_;
        fit();
        if (same_columns) {
            setVisibleColumns(first, last);
        }
    }
    if (map_) {
        limits_ = map_->robust;
    }
    viewChanged();
    onCursorMoved();
}

void HeatmapView::setLimits(const ColorLimits& limits) {
    limits_ = limits;
    viewChanged();
}

void HeatmapView::setVisibleColumns(double first, double last) {
    const double all = map_ ? static_cast<double>(map_->values.columns()) : 1;
    const double span = std::clamp(last - first, std::min(kFewestCells, all), all);
    first_column_ = std::clamp(first, 0.0, all - span);
    last_column_ = first_column_ + span;
    viewChanged();
}

void HeatmapView::fit() {
    first_column_ = 0;
    first_row_ = 0;
    last_column_ = map_ ? static_cast<double>(std::max<qint64>(1, map_->values.columns())) : 1;
    last_row_ = map_ ? static_cast<double>(std::max<qint64>(1, map_->values.rows())) : 1;
    viewChanged();
}

void HeatmapView::viewChanged() {
    image_valid_ = false;
    update();
}

QSize HeatmapView::sizeHint() const {
    return {480, 220};
}

QSize HeatmapView::minimumSizeHint() const {
    return {140, 150};
}

HeatmapView::Cell HeatmapView::cellAt(const QPointF& position) const {
    const QRect rect = plotRect();
    if (!map_ || map_->values.isEmpty() || !rect.contains(position.toPoint())) {
        return {};
    }
    const double x = (position.x() - rect.left()) / rect.width();
    double y = (position.y() - rect.top()) / rect.height();
    y = map_->firstRowAtBottom ? 1 - y : y;
    const auto column = static_cast<qint64>(first_column_ + x * (last_column_ - first_column_));
    const auto row = static_cast<qint64>(first_row_ + y * (last_row_ - first_row_));
    return {std::clamp<qint64>(row, 0, map_->values.rows() - 1),
            std::clamp<qint64>(column, 0, map_->values.columns() - 1)};
}

QString HeatmapView::describe(const QPoint& position) const {
    const Cell cell = cellAt(position);
    return cell.row < 0 ? QString() : map_->describe(cell.row, cell.column);
}

QString HeatmapView::currentText() const {
    if (!map_ || row_ < 0 || column_ < 0) {
        return {};
    }
    return map_->describe(row_, column_).replace(QLatin1Char('\n'), QStringLiteral(", "));
}

void HeatmapView::setCurrent(qint64 row, qint64 column) {
    if (!map_ || map_->values.isEmpty()) {
        return;
    }
    row = std::clamp<qint64>(row, 0, map_->values.rows() - 1);
    column = std::clamp<qint64>(column, 0, map_->values.columns() - 1);
    revealCell(first_column_, last_column_, column);
    revealCell(first_row_, last_row_, row);
    viewChanged();
    if (row == row_ && column == column_) {
        return;
    }
    row_ = row;
    column_ = column;
    setAccessibleDescription(currentText());
    if (QAccessible::isActive()) {
        QAccessibleEvent event(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&event);
    }
    Q_EMIT currentChanged(row_, column_);
}

void HeatmapView::choose(qint64 row, qint64 column) {
    setCurrent(row, column);
    lockCurrent();
}

void HeatmapView::lockCurrent() {
    if (map_) {
        lockToken(map_->columns, column_);
        if (!map_->columns.tokens) {
            lockToken(map_->rows, row_);
        }
    }
}

void HeatmapView::lockToken(const HeatmapAxis& axis, qint64 index) {
    if (!cursor_ || !axis.tokens || index < 0) {
        return;
    }
    const TokenValue& token = (*axis.tokens)[static_cast<std::size_t>(index)];
    if (token.tokenClass == TokenClass::Audio) {
        cursor_->lockToken(token.source, token.slotRow);
    }
}

void HeatmapView::onCursorMoved() {
    update();
    if (!cursor_ || !map_ || !cursor_->isLocked()) {
        return;
    }
    const int source = cursor_->point().source;
    const int column = map_->columns.indexOfSlot(source, cursor_->token());
    if (column >= 0) {
        setCurrent(std::max<qint64>(0, row_), column);
        return;
    }
    const int row = map_->rows.indexOfSlot(source, cursor_->token());
    if (row >= 0 && !map_->columns.tokens) {
        setCurrent(row, std::max<qint64>(0, column_));
    }
}

bool HeatmapView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // The window's own zoom keys mean the signal; with the focus here they mean this view.
        switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_F:
            case Qt::Key_Plus:
            case Qt::Key_Equal:
            case Qt::Key_Minus:
                event->accept();
                return true;
            default:
                break;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = describe(help->pos());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), text, this);
        }
        return true;
    }
    return QWidget::event(event);
}

void HeatmapView::resizeEvent(QResizeEvent* event) {
    viewChanged();
    QWidget::resizeEvent(event);
}

void HeatmapView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        viewChanged();
    }
    QWidget::changeEvent(event);
}

void HeatmapView::mousePressEvent(QMouseEvent* event) {
    press_position_ = event->position();
    press_first_ = first_column_;
    dragging_ = false;
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) != 0) {
        const double moved = event->position().x() - press_position_.x();
        dragging_ = dragging_ || std::abs(moved) > 4;
        if (dragging_) {
            const double span = last_column_ - first_column_;
            const double first = press_first_ - moved / std::max(1, plotRect().width()) * span;
            setVisibleColumns(first, first + span);
        }
        return;
    }
    const Cell cell = cellAt(event->position());
    if (!cursor_ || cell.column < 0) {
        return;
    }
    const HeatmapAxis& axis = map_->columns.tokens ? map_->columns : map_->rows;
    const qint64 index = map_->columns.tokens ? cell.column : cell.row;
    if (axis.tokens &&
        axis.indexOfSlot((*axis.tokens)[static_cast<std::size_t>(index)].source,
                         (*axis.tokens)[static_cast<std::size_t>(index)].slotRow) == index) {
        const TokenValue& token = (*axis.tokens)[static_cast<std::size_t>(index)];
        cursor_->hoverToken(token.source, token.slotRow);
    } else {
        cursor_->leave();
    }
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event) {
    const Cell cell = cellAt(event->position());
    if (!dragging_ && event->button() == Qt::LeftButton && cell.row >= 0) {
        choose(cell.row, cell.column);
    }
    dragging_ = false;
}

void HeatmapView::leaveEvent(QEvent* event) {
    if (cursor_) {
        cursor_->leave();
    }
    QWidget::leaveEvent(event);
}

void HeatmapView::zoomColumns(double at, double factor) {
    if (map_) {
        zoomRange(first_column_, last_column_,
                  static_cast<double>(std::max<qint64>(1, map_->values.columns())), at, factor);
        viewChanged();
    }
}

void HeatmapView::zoomRows(double at, double factor) {
    if (map_) {
        zoomRange(first_row_, last_row_,
                  static_cast<double>(std::max<qint64>(1, map_->values.rows())), at, factor);
        viewChanged();
    }
}

void HeatmapView::wheelEvent(QWheelEvent* event) {
    event->accept();
    const QPoint delta = event->angleDelta();
    const double turn = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    const Cell cell = cellAt(event->position());
    if (shift && (event->modifiers() & Qt::ControlModifier) != 0) {
        zoomRows(static_cast<double>(std::max<qint64>(0, cell.row)), std::pow(0.8, turn));
    } else if (shift || delta.y() == 0) {
        const double span = last_column_ - first_column_;
        setVisibleColumns(first_column_ - turn * span / 10, last_column_ - turn * span / 10);
    } else {
        zoomColumns(static_cast<double>(std::max<qint64>(0, cell.column)), std::pow(0.8, turn));
    }
}

void HeatmapView::keyPressEvent(QKeyEvent* event) {
    if (!map_ || map_->values.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const qint64 up = map_->firstRowAtBottom ? 1 : -1;
    const qint64 row = std::max<qint64>(0, row_);
    const qint64 column = std::max<qint64>(0, column_);
    switch (event->key()) {
        case Qt::Key_Left:
            choose(row, column - 1);
            break;
        case Qt::Key_Right:
            choose(row, column_ < 0 ? 0 : column + 1);
            break;
        case Qt::Key_Up:
            choose(row + up, column);
            break;
        case Qt::Key_Down:
            choose(row - up, column);
            break;
        case Qt::Key_Home:
            choose(row, 0);
            break;
        case Qt::Key_End:
            choose(row, map_->values.columns() - 1);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomColumns(static_cast<double>(column) + 0.5, 0.5);
            break;
        case Qt::Key_Minus:
            zoomColumns(static_cast<double>(column) + 0.5, 2);
            break;
        case Qt::Key_F:
            fit();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace earscope
