#include "audio/peaks.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/signal/signal_strip.h"
#include "widgets/signal/signal_view.h"

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr double kFramesPerSecond = 100;
constexpr double kAroundToken = 0.5;    // seconds heard before and after a token
constexpr double kPixelsPerNotch = 80;  // panned by one notch of the wheel

QString secondsText(double seconds) {
    return SignalView::tr("%1 s").arg(QLocale().toString(seconds, 'f', 3));
}

}  // namespace

int SignalView::sourceAt(const QPoint& position) const {
    if (position.y() < rulerHeight()) {
        return -1;
    }
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        if (strips_[i]->layout().whole.contains(position)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

double SignalView::secondsAt(const QPoint& position) const {
    // The middle of the pixel, so that what is under it is meant.
    return axis_.secondsAt(position.x() + 0.5 - axisLeft());
}

void SignalView::setHover(const QPoint& position) {
    if (!cursor_) {
        return;
    }
    const int source = sourceAt(position);
    const bool inside = source >= 0 && position.x() >= axisLeft();
    if (inside &&
        secondsAt(position) <= strips_[static_cast<std::size_t>(source)]->durationSeconds()) {
        cursor_->hover(source, secondsAt(position));
    } else {
        cursor_->leave();
    }
}

void SignalView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
    dragging_ = false;
    press_position_ = event->position().toPoint();
    drag_position_ = press_position_;
}

void SignalView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint position = event->position().toPoint();
    if (pressed_ && !dragging_ &&
        std::abs(position.x() - press_position_.x()) >= QApplication::startDragDistance()) {
        dragging_ = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (dragging_) {
        panBy(drag_position_.x() - position.x());
        drag_position_ = position;
        return;
    }
    setHover(position);
}

void SignalView::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = pressed_ && !dragging_ && event->button() == Qt::LeftButton;
    const QPoint position = event->position().toPoint();
    const int source = sourceAt(position);
    if (click && cursor_ && source >= 0 && position.x() >= axisLeft()) {
        if (event->modifiers().testFlag(Qt::ShiftModifier)) {
            cursor_->extendTo(source, secondsAt(position));
        } else {
            cursor_->lock(source, secondsAt(position));
        }
    }
    pressed_ = false;
    dragging_ = false;
    viewport()->unsetCursor();
}

void SignalView::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPoint position = event->position().toPoint();
    const int source = sourceAt(position);
    if (event->button() == Qt::LeftButton && source >= 0 && position.x() >= axisLeft()) {
        playAround(source, secondsAt(position));
    }
}

void SignalView::playAround(int source, double seconds) {
    double begin = seconds;
    double end = seconds;
    const int token = cursor_ ? cursor_->tokenAt(source, seconds) : -1;
    if (token >= 0) {
        begin = cursor_->secondsOf(source, token);
        end = cursor_->endOf(source, token);
    }
    begin -= kAroundToken;
    end += kAroundToken;
    if (cursor_ && cursor_->range().source == source && !cursor_->range().isEmpty()) {
        begin = cursor_->range().beginSeconds;
        end = cursor_->range().endSeconds;
    }
    const double duration = strips_[static_cast<std::size_t>(source)]->durationSeconds();
    Q_EMIT playRequested(source, std::max(0.0, begin), std::min(duration, end));
}

void SignalView::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    const double x = event->position().x() - axisLeft();
    const bool scrolls = verticalScrollBar()->maximum() > 0;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoomAt(x, std::pow(1.25, -notches));
    } else if (angle.y() != 0 && scrolls &&
               (event->modifiers().testFlag(Qt::ShiftModifier) || axis_.isFitted())) {
        // With the whole time in view there is nothing to pan, so the wheel goes through strips.
        verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                      static_cast<int>(std::lround(notches * kPixelsPerNotch)));
    } else {
        panBy(-notches * kPixelsPerNotch);
    }
    setHover(event->position().toPoint());
    event->accept();
}

void SignalView::keyPressEvent(QKeyEvent* event) {
    if (strips_.empty() || !(handleViewKey(*event) || handleCursorKey(*event))) {
        event->ignore();  // not to the scroll area, which would move its bars unseen
    }
}

bool SignalView::handleViewKey(const QKeyEvent& event) {
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (modifiers != Qt::NoModifier && modifiers != Qt::ShiftModifier) {
        return false;
    }
    switch (event.key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomIn();
            return true;
        case Qt::Key_Minus:
        case Qt::Key_Underscore:
            zoomOut();
            return true;
        case Qt::Key_F:
            fit();
            return true;
        case Qt::Key_PageUp:
            panBy(-axis_.width() * 0.8);
            return true;
        case Qt::Key_PageDown:
            panBy(axis_.width() * 0.8);
            return true;
        default:
            return false;
    }
}

bool SignalView::handleCursorKey(const QKeyEvent& event) {
    if (!cursor_) {
        return false;
    }
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const int step = event.key() == Qt::Key_Left || event.key() == Qt::Key_Up ? -1 : 1;
    const CursorPoint point = cursor_->point();
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (modifiers == Qt::ControlModifier) {
                moveWindow(step);
            } else if (modifiers == Qt::ShiftModifier) {
                cursor_->extendToken(step);
            } else {
                cursor_->moveToken(step);
            }
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            cursor_->moveSource(step);
            return true;
        case Qt::Key_Home:
            cursor_->lock(std::max(0, point.source), 0);
            return true;
        case Qt::Key_End:
            cursor_->lock(std::max(0, point.source), axis_.duration());
            return true;
        case Qt::Key_P:
            if (point.isValid() && point.source < sourceCount()) {
                playAround(point.source, point.seconds);
            }
            return point.isValid();
        case Qt::Key_Escape: {
            const bool held = cursor_->isLocked() || !cursor_->range().isEmpty() ||
                              !cursor_->secondRange().isEmpty();
            cursor_->release();
            return held;
        }
        default:
            return false;
    }
}

void SignalView::moveWindow(int step) {
    const CursorPoint point = cursor_->point().isValid() ? cursor_->point() : CursorPoint{0, 0};
    if (point.source >= sourceCount()) {
        return;
    }
    const std::vector<WindowSpan>& windows =
        strips_[static_cast<std::size_t>(point.source)]->windows();
    const auto next = std::partition_point(
        windows.begin(), windows.end(),
        [&](const WindowSpan& window) { return window.beginSeconds <= point.seconds + 1e-9; });
    const auto current = next - windows.begin() - 1;
    const auto target = current + step;
    if (target >= 0 && target < static_cast<std::ptrdiff_t>(windows.size())) {
        cursor_->lock(point.source, windows[static_cast<std::size_t>(target)].beginSeconds);
    }
}

bool SignalView::viewportEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::ToolTip: {
            const auto* help = static_cast<QHelpEvent*>(event);
            const QString text = describe(help->pos());
            if (text.isEmpty()) {
                QToolTip::hideText();
            } else {
                QToolTip::showText(help->globalPos(), text, viewport());
            }
            return true;
        }
        case QEvent::Leave:
            if (cursor_) {
                cursor_->leave();
            }
            break;
        default:
            break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString SignalView::describe(const QPoint& position) const {
    if (position.y() < rulerHeight()) {
        return strips_.empty() ? QString()
                               : tr("Time in each source.\nCtrl+wheel zooms, wheel or drag pans, "
                                    "Shift+wheel moves through the sources, F shows everything.");
    }
    const int source = sourceAt(position);
    if (source < 0) {
        return {};
    }
    const SignalStrip& strip = *strips_[static_cast<std::size_t>(source)];
    if (position.x() < axisLeft()) {
        const QString label = strip.source().label;
        return label.isEmpty() ? strip.source().sound.path
                               : label + QLatin1Char('\n') + strip.source().sound.path;
    }
    const double seconds = secondsAt(position);
    if (seconds > strip.durationSeconds()) {
        return {};
    }
    QString text = describeTime(source, seconds);
    const QString value = describeValue(source, position);
    return value.isEmpty() ? text : text + QLatin1Char('\n') + value;
}

QString SignalView::describeTime(int source, double seconds) const {
    const SignalStrip& strip = *strips_[static_cast<std::size_t>(source)];
    QStringList parts{tr("source %1").arg(source + 1), secondsText(seconds)};
    if (strip.isPrepared()) {
        const PreparedSource& prepared = *strip.source().prepared;
        if (seconds >= seenEndSeconds(strip.source().sound.durationSeconds, prepared) &&
            prepared.durationSeconds < strip.source().sound.durationSeconds) {
            parts << tr("not seen by the model");
            return parts.join(QStringLiteral(", "));
        }
        const std::vector<double>& begins = prepared.tokenSeconds;
        const auto next = std::upper_bound(begins.begin(), begins.end(), seconds + 1e-9);
        if (next != begins.begin() &&
            seconds < *std::prev(next) + prepared.secondsPerToken + 1e-9) {
            const double begin = *std::prev(next);
            const auto token = std::prev(next) - begins.begin();
            parts << tr("token %1 (%2 to %3)")
                         .arg(token)
                         .arg(secondsText(begin), secondsText(begin + prepared.secondsPerToken));
            const auto index = static_cast<std::size_t>(token);
            const std::vector<int>& positions = prepared.tokenPositions;
            if (index > 0 && index < positions.size() &&
                positions[index] > positions[index - 1] + 1) {
                parts << tr("after %n time digits", nullptr,
                            positions[index] - positions[index - 1] - 1);
            }
        }
        const auto frame = static_cast<qint64>(std::floor(seconds * kFramesPerSecond + 1e-9));
        if (frame < prepared.mel.columns()) {
            parts << tr("mel frame %1").arg(frame);
        }
        for (std::size_t w = 0; w < strip.windows().size(); ++w) {
            const WindowSpan& window = strip.windows()[w];
            if (seconds >= window.beginSeconds && seconds < window.endSeconds) {
                parts << (uses_windows_ ? tr("window %1") : tr("chunk %1")).arg(w + 1);
            }
        }
    }
    return parts.join(QStringLiteral(", "));
}

QString SignalView::describeValue(int source, const QPoint& position) const {
    const SignalStrip& strip = *strips_[static_cast<std::size_t>(source)];
    const double seconds = secondsAt(position);
    const QLocale locale;
    const SourceValue& sound = strip.source().sound;
    if (strip.layout().waveform.contains(position) && sound.peaks && sound.mono) {
        const double pixel = axis_.span() / axis_.width();
        const Peak peak = sound.peaks
                              ->columns(*sound.mono, (seconds - pixel / 2) * sound.sampleRate,
                                        (seconds + pixel / 2) * sound.sampleRate, 1)
                              .front();
        QString text =
            tr("samples from %1 to %2")
                .arg(locale.toString(peak.min, 'g', 3), locale.toString(peak.max, 'g', 3));
        if (peak.max > 1 || peak.min < -1) {
            text += tr(", beyond full scale");
        }
        return text;
    }
    if (strip.hasLane() && strip.layout().lane.contains(position) && cursor_) {
        const int token = cursor_->tokenAt(source, seconds);
        return token < 0 || token >= strip.laneSize()
                   ? QString()
                   : tr("%1: %2").arg(strip.laneTitle(),
                                      locale.toString(strip.laneValue(token), 'g', 4));
    }
    const QRect mel = strip.layout().mel;
    if (!mel.contains(position) || !strip.hasMel()) {
        return {};
    }
    const TensorValue& values = strip.source().prepared->mel;
    const auto frame = static_cast<qint64>(std::floor(seconds * kFramesPerSecond + 1e-9));
    const auto bin = std::clamp<qint64>(
        (mel.bottom() - position.y()) * values.rows() / mel.height(), 0, values.rows() - 1);
    if (frame < 0 || frame >= values.columns()) {
        return {};
    }
    QString text = tr("mel bin %1 (%2 Hz): %3")
                       .arg(bin)
                       .arg(locale.toString(std::lround(melBinHz(static_cast<int>(bin)))),
                            locale.toString(values.at(bin, frame), 'g', 4));
    if (bin < strip.overlay().rows() && frame < strip.overlay().columns()) {
        text += tr(", %1 %2").arg(overlay_title_,
                                  locale.toString(strip.overlay().at(bin, frame), 'g', 4));
    }
    return text;
}

QString SignalView::cursorText() const {
    if (strips_.empty()) {
        return tr("Waveform and model input appear here.");
    }
    if (!cursor_ || !cursor_->point().isValid() || cursor_->point().source >= sourceCount()) {
        return tr("%n sources, nothing selected", nullptr, sourceCount());
    }
    QString text = describeTime(cursor_->point().source, cursor_->point().seconds);
    const CursorRange range = cursor_->range();
    if (!range.isEmpty()) {
        text += tr("; range %1 to %2")
                    .arg(secondsText(range.beginSeconds), secondsText(range.endSeconds));
    }
    return text;
}

void SignalView::announce() {
    if (QAccessible::isActive() && cursor_ && cursor_->isLocked()) {
        QAccessibleValueChangeEvent event(this, cursorText());
        QAccessible::updateAccessibility(&event);
    }
}

void SignalView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void SignalView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace earscope
