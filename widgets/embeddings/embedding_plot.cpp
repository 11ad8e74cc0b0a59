#include "widgets/embeddings/embedding_plot.h"

#include "widgets/plot/cursor_model.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr int kTop = 6;
constexpr int kRight = 8;
constexpr int kGap = 10;
constexpr int kTickLength = 4;
constexpr double kFewestDimensions = 4;

QString valueText(double value) {
    return QLocale().toString(value, 'g', 4);
}

}  // namespace

EmbeddingPlot::EmbeddingPlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Embedding heatmap and norms"));
}

void EmbeddingPlot::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, &EmbeddingPlot::onCursorChanged);
        connect(cursor_, &CursorModel::hoverChanged, this, qOverload<>(&QWidget::update));
        connect(cursor_, &CursorModel::rangeChanged, this, qOverload<>(&QWidget::update));
    }
}

void EmbeddingPlot::setMatrix(std::shared_ptr<const EmbeddingMatrix> matrix) {
    const bool sameTime = matrix_ && matrix && matrix_->source == matrix->source &&
                          matrix_->tokens() == matrix->tokens();
    matrix_ = std::move(matrix);
    first_dimension_ = 0;
    last_dimension_ = matrix_ ? matrix_->dimensions() : 0;
    if (!sameTime) {
        axis_.setDuration(matrix_ ? std::max(matrix_->endSeconds(), TimeAxis::kShortestSeconds)
                                  : 1.0);
        axis_.fit();
    }
    axisChanged();
    onCursorChanged();
}

void EmbeddingPlot::setLimits(const ColorLimits& limits) {
    limits_ = limits;
    heatmap_valid_ = false;
    update();
}

void EmbeddingPlot::setNormsShown(bool shown) {
    norms_shown_ = shown;
    axisChanged();
}

void EmbeddingPlot::setCaption(const QString& caption) {
    caption_ = caption;
    setAccessibleName(tr("%1: embedding heatmap").arg(caption));
}

void EmbeddingPlot::setVisibleRange(double beginSeconds, double endSeconds) {
    axis_.setRange(beginSeconds, endSeconds);
    axisChanged();
}

void EmbeddingPlot::fit() {
    axis_.fit();
    first_dimension_ = 0;
    last_dimension_ = matrix_ ? matrix_->dimensions() : 0;
    userMoved();
}

void EmbeddingPlot::zoomIn() {
    axis_.zoomAt(axis_.width() / 2, 0.5);
    userMoved();
}

void EmbeddingPlot::zoomOut() {
    axis_.zoomAt(axis_.width() / 2, 2);
    userMoved();
}

void EmbeddingPlot::axisChanged() {
    heatmap_valid_ = false;
    update();
}

void EmbeddingPlot::userMoved() {
    axisChanged();
    Q_EMIT visibleRangeChanged(axis_.begin(), axis_.end());
}

QSize EmbeddingPlot::sizeHint() const {
    return {480, 280};
}
QSize EmbeddingPlot::minimumSizeHint() const {
    return {160, 140};
}

QRect EmbeddingPlot::heatmapRect() const {
    const QFontMetrics metrics(font());
    const int left = metrics.horizontalAdvance(QStringLiteral("00,000")) + kTickLength + 20;
    const int bottom = metrics.height() * 2 + kTickLength + 4;
    const int inner = std::max(2, height() - kTop - bottom - (norms_shown_ ? kGap : 0));
    return {left, kTop, std::max(1, width() - left - kRight),
            std::max(1, norms_shown_ ? inner * 68 / 100 : inner)};
}

QRect EmbeddingPlot::normRect() const {
    const QFontMetrics metrics(font());
    const QRect heat = heatmapRect();
    if (!norms_shown_) {
        return {heat.left(), heat.bottom() + 1, heat.width(), 0};
    }
    const int bottom = metrics.height() * 2 + kTickLength + 4;
    const int top = heat.bottom() + 1 + kGap;
    return {heat.left(), top, heat.width(), std::max(1, height() - bottom - top)};
}

double EmbeddingPlot::dimensionAt(double y) const {
    const QRect rect = heatmapRect();
    return first_dimension_ +
           (y - rect.top()) / rect.height() * (last_dimension_ - first_dimension_);
}

double EmbeddingPlot::tokenPosition(double seconds) const {
    const auto& begins = matrix_->tokenSeconds;
    if (begins.empty() || matrix_->secondsPerToken <= 0) {
        return 0;
    }
    const auto after = std::upper_bound(begins.begin(), begins.end(), seconds);
    if (after == begins.begin()) {
        return (seconds - begins.front()) / matrix_->secondsPerToken;
    }
    const auto token = static_cast<double>(after - begins.begin() - 1);
    return token + (seconds - *(after - 1)) / matrix_->secondsPerToken;
}

QString EmbeddingPlot::cursorText() const {
    if (!matrix_ || !cursor_ || cursor_->point().source != matrix_->source) {
        return {};
    }
    const int token = matrix_->tokenAt(cursor_->point().seconds);
    if (token < 0) {
        return {};
    }
    const QLocale locale;
    const double begin = matrix_->tokenSeconds[static_cast<std::size_t>(token)];
    return tr("Source %1, token %2, %3 to %4 s, norm %5")
        .arg(locale.toString(matrix_->source + 1), locale.toString(token),
             locale.toString(begin, 'f', 3),
             locale.toString(begin + matrix_->secondsPerToken, 'f', 3),
             valueText(static_cast<double>(matrix_->norms[static_cast<std::size_t>(token)])));
}

QString EmbeddingPlot::describe(const QPoint& position) const {
    const bool inHeatmap = heatmapRect().contains(position);
    if (!matrix_ || (!inHeatmap && !normRect().contains(position))) {
        return {};
    }
    const int token = matrix_->tokenAt(secondsAt(position.x()));
    if (token < 0) {
        return {};
    }
    const QLocale locale;
    const double begin = matrix_->tokenSeconds[static_cast<std::size_t>(token)];
    QString text = caption_.isEmpty() ? QString() : caption_ + QLatin1Char('\n');
    text += tr("Source %1, token %2, %3 – %4 s")
                .arg(locale.toString(matrix_->source + 1), locale.toString(token),
                     locale.toString(begin, 'f', 3),
                     locale.toString(begin + matrix_->secondsPerToken, 'f', 3));
    const int dimension = static_cast<int>(std::floor(dimensionAt(position.y())));
    if (inHeatmap && dimension >= 0 && dimension < matrix_->dimensions()) {
        text += tr("\nDimension %1: %2")
                    .arg(locale.toString(dimension),
                         valueText(static_cast<double>(matrix_->values.at(token, dimension))));
    }
    text +=
        tr("\nNorm %1")
            .arg(valueText(static_cast<double>(matrix_->norms[static_cast<std::size_t>(token)])));
    return text;
}

bool EmbeddingPlot::event(QEvent* event) {
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

void EmbeddingPlot::resizeEvent(QResizeEvent* event) {
    axis_.setWidth(heatmapRect().width());
    heatmap_valid_ = false;
    QWidget::resizeEvent(event);
}

void EmbeddingPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        axis_.setWidth(heatmapRect().width());
        heatmap_valid_ = false;
        update();
    }
    QWidget::changeEvent(event);
}

void EmbeddingPlot::mousePressEvent(QMouseEvent* event) {
    press_position_ = event->pos();
    press_begin_ = axis_.begin();
    dragging_ = false;
}

void EmbeddingPlot::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) != 0) {
        const int moved = event->pos().x() - press_position_.x();
        dragging_ = dragging_ || std::abs(moved) > 4;
        if (dragging_) {
            const double begin = press_begin_ - moved / axis_.width() * axis_.span();
            axis_.setRange(begin, begin + axis_.span());
            userMoved();
        }
        return;
    }
    if (!cursor_ || !matrix_) {
        return;
    }
    const double seconds = secondsAt(event->position().x());
    if (heatmapRect().united(normRect()).contains(event->pos()) && matrix_->tokenAt(seconds) >= 0) {
        cursor_->hover(matrix_->source, seconds);
    } else {
        cursor_->leave();
    }
}

void EmbeddingPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (dragging_ || !cursor_ || !matrix_ || event->button() != Qt::LeftButton ||
        !heatmapRect().united(normRect()).contains(event->pos())) {
        return;
    }
    const double seconds = secondsAt(event->position().x());
    if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        cursor_->extendTo(matrix_->source, seconds);
    } else {
        cursor_->lock(matrix_->source, seconds);
    }
}

void EmbeddingPlot::leaveEvent(QEvent* event) {
    if (cursor_) {
        cursor_->leave();
    }
    QWidget::leaveEvent(event);
}

void EmbeddingPlot::wheelEvent(QWheelEvent* event) {
    event->accept();
    const QPoint delta = event->angleDelta();
    const double turn = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    const Qt::KeyboardModifiers modifiers = event->modifiers();
    const bool shift = (modifiers & Qt::ShiftModifier) != 0;
    if (shift && (modifiers & Qt::ControlModifier) != 0) {
        const double at = dimensionAt(event->position().y());
        const auto all = static_cast<double>(matrix_ ? matrix_->dimensions() : 0);
        const double span = last_dimension_ - first_dimension_;
        const double wanted =
            std::clamp(span * std::pow(0.8, turn), std::min(kFewestDimensions, all), all);
        const double first = at - (at - first_dimension_) * wanted / std::max(span, 1e-9);
        first_dimension_ = std::clamp(first, 0.0, all - wanted);
        last_dimension_ = first_dimension_ + wanted;
    } else if (shift || delta.y() == 0) {
        axis_.panPixels(-turn * 60);
    } else {
        axis_.zoomAt(event->position().x() - heatmapRect().left(), std::pow(0.8, turn));
    }
    userMoved();
}

bool EmbeddingPlot::handleCursorKey(QKeyEvent* event) {
    if (!cursor_) {
        return false;
    }
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const int step = event->key() == Qt::Key_Left ? -1 : 1;
            if (shift) {
                cursor_->extendToken(step);
            } else {
                cursor_->moveToken(step);
            }
            axis_.reveal(cursor_->point().seconds);
            userMoved();
            return true;
        }
        case Qt::Key_Escape:
            cursor_->release();
            return true;
        default:
            return false;
    }
}

void EmbeddingPlot::keyPressEvent(QKeyEvent* event) {
    if (handleCursorKey(event)) {
        return;
    }
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomIn();
            break;
        case Qt::Key_Minus:
            zoomOut();
            break;
        case Qt::Key_F:
            fit();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

void EmbeddingPlot::onCursorChanged() {
    setAccessibleDescription(cursorText());
    update();
}

}  // namespace earscope
