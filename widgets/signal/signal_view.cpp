#include "widgets/signal/signal_view.h"

#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/signal/signal_accessible.h"
#include "widgets/signal/signal_strip.h"

#include <QEvent>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr int kBarUnits = 1'000'000;  // of the scroll bar, for the whole duration
constexpr int kStripGap = 4;

bool sameSounds(const std::vector<std::unique_ptr<SignalStrip>>& strips,
                const std::vector<SignalSource>& sources) {
    return std::equal(strips.begin(), strips.end(), sources.begin(), sources.end(),
                      [](const std::unique_ptr<SignalStrip>& strip, const SignalSource& source) {
                          return strip->source().sound.path == source.sound.path &&
                                 strip->source().sound.mono == source.sound.mono;
                      });
}

}  // namespace

SignalView::SignalView(QWidget* parent) : QAbstractScrollArea(parent) {
    installSignalAccessibility();
    setObjectName(QStringLiteral("signalView"));
    setAccessibleName(tr("Signal"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    horizontalScrollBar()->setAccessibleName(tr("Time shown"));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    color_bar_ = new ColorBar(this);
    color_bar_->setObjectName(QStringLiteral("melColorBar"));
    refreshColorBar();
    color_bar_->hide();
}

SignalView::~SignalView() = default;

void SignalView::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        const auto repaint = [this] { viewport()->update(); };
        connect(cursor_, &CursorModel::hoverChanged, this, repaint);
        connect(cursor_, &CursorModel::rangeChanged, this, repaint);
        connect(cursor_, &CursorModel::pointChanged, this, [this] {
            viewport()->update();
            announce();
            followCursor();
        });
    }
    viewport()->update();
}

void SignalView::setSources(std::vector<SignalSource> sources) {
    const bool keep = !strips_.empty() && sameSounds(strips_, sources);
    std::vector<std::unique_ptr<SignalStrip>> strips;
    double duration = 0;
    mel_limits_ = {0, 0};
    bool any_mel = false;
    for (SignalSource& source : sources) {
        auto strip =
            std::make_unique<SignalStrip>(std::move(source), static_cast<int>(strips.size()));
        const SignalStrip* older = nullptr;
        for (const auto& candidate : strips_) {
            if (candidate->source().sound.path == strip->source().sound.path) {
                older = candidate.get();
            }
        }
        strip->reduce(older);
        duration = std::max(duration, strip->durationSeconds());
        if (strip->hasMel()) {
            const ColorLimits limits = strip->melLimits();
            mel_limits_ = any_mel ? ColorLimits{std::min(mel_limits_.low, limits.low),
                                                std::max(mel_limits_.high, limits.high)}
                                  : limits;
            any_mel = true;
        }
        strips.push_back(std::move(strip));
    }
    strips_ = std::move(strips);
    axis_.setDuration(duration > 0 ? duration : 1);
    if (!keep) {
        axis_.fit();
    }
    setHorizontalScrollBarPolicy(strips_.empty() ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
    applyLanes();
    applyOverlays();
    color_bar_->setVisible(any_mel);
    setViewportMargins(0, 0, any_mel ? color_bar_->sizeHint().width() : 0, 0);
    layoutStrips();
    axisChanged();
}

int SignalView::sourceCount() const {
    return static_cast<int>(strips_.size());
}

void SignalView::setUsesWindows(bool windows) {
    uses_windows_ = windows;
    for (const auto& strip : strips_) {
        strip->invalidate();
    }
    viewport()->update();
}

void SignalView::setPlayHead(int source, double seconds) {
    play_source_ = source < sourceCount() ? source : -1;
    play_seconds_ = seconds;
    if (play_source_ >= 0 && (seconds < axis_.begin() || seconds > axis_.end())) {
        // A page on, so that what comes next is seen.
        axis_.setRange(seconds, seconds + axis_.span());
        axisChanged();
    }
    viewport()->update();
}

void SignalView::setVisibleRange(double beginSeconds, double endSeconds) {
    axis_.setRange(beginSeconds, endSeconds);
    axisChanged();
}

QRect SignalView::stripRect(int source) const {
    return strips_[static_cast<std::size_t>(source)]->layout().whole;
}

QRect SignalView::waveformRect(int source) const {
    return strips_[static_cast<std::size_t>(source)]->layout().waveform;
}

QRect SignalView::laneRect(int source) const {
    return strips_[static_cast<std::size_t>(source)]->layout().lane;
}

QRect SignalView::melRect(int source) const {
    return strips_[static_cast<std::size_t>(source)]->layout().mel;
}

QRect SignalView::tokenRect(int source) const {
    return strips_[static_cast<std::size_t>(source)]->layout().tokens;
}

QSize SignalView::sizeHint() const {
    const QFontMetrics metrics(font());
    return {60 * metrics.averageCharWidth() + stripMarginWidth(metrics),
            rulerHeight() + stripMinimumHeight(metrics, true) + 4 * metrics.height()};
}

QSize SignalView::minimumSizeHint() const {
    const QFontMetrics metrics(font());
    return {2 * stripMarginWidth(metrics), rulerHeight() + stripMinimumHeight(metrics, false)};
}

void SignalView::fit() {
    axis_.fit();
    axisChanged();
}

void SignalView::zoomIn() {
    const bool at_cursor = cursor_ && cursor_->point().isValid() &&
                           cursor_->point().seconds >= axis_.begin() &&
                           cursor_->point().seconds <= axis_.end();
    zoomAt(at_cursor ? axis_.xOf(cursor_->point().seconds) : axis_.width() / 2, 1 / 1.5);
}

void SignalView::zoomOut() {
    zoomAt(axis_.width() / 2, 1.5);
}

void SignalView::zoomAt(double x, double factor) {
    axis_.zoomAt(std::clamp(x, 0.0, axis_.width()), factor);
    axisChanged();
}

void SignalView::panBy(double pixels) {
    axis_.panPixels(pixels);
    axisChanged();
}

void SignalView::followCursor() {
    // Keys and other views can move the locked point out of sight; the mouse cannot.
    if (cursor_ && cursor_->isLocked() && !pressed_ &&
        (cursor_->point().seconds < axis_.begin() || cursor_->point().seconds > axis_.end())) {
        axis_.reveal(cursor_->point().seconds);
        axisChanged();
    }
}

int SignalView::axisLeft() const {
    return std::min(stripMarginWidth(QFontMetrics(font())), viewport()->width());
}

int SignalView::rulerHeight() const {
    return 2 * QFontMetrics(font()).height() + 9;  // marker, labels, ticks
}

void SignalView::layoutStrips() {
    const QFontMetrics metrics(font());
    const QRect area = viewport()->rect();
    axis_.setWidth(area.width() - axisLeft());
    int needed = 0;
    int flexible = 0;
    for (const auto& strip : strips_) {
        needed += stripMinimumHeight(metrics, strip->isPrepared(), strip->hasLane()) + kStripGap;
        flexible += strip->isPrepared() ? 2 : 1;
    }
    const int room = area.height() - rulerHeight();
    const int spare = std::max(0, room - needed);
    updating_bars_ = true;
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(metrics.height());
    verticalScrollBar()->setRange(0, std::max(0, needed - room));
    updating_bars_ = false;
    int top = rulerHeight() - verticalScrollBar()->value();
    for (const auto& strip : strips_) {
        const int height = stripMinimumHeight(metrics, strip->isPrepared(), strip->hasLane()) +
                           spare * (strip->isPrepared() ? 2 : 1) / flexible;
        strip->setLayout(layoutStrip(QRect(0, top, area.width(), height), metrics,
                                     strip->isPrepared(), strip->hasLane()));
        top += height + kStripGap;
    }
    // The width the numbers need changes with the font, which a hidden bar does not know yet.
    const int margin = color_bar_->isHidden() ? 0 : color_bar_->sizeHint().width();
    if (viewportMargins().right() != margin) {
        setViewportMargins(0, 0, margin, 0);
    }
    const QRect view = viewport()->geometry();
    color_bar_->setGeometry(view.right() + 1, view.top() + rulerHeight(),
                            color_bar_->sizeHint().width(),
                            std::max(0, view.height() - rulerHeight()));
}

void SignalView::axisChanged() {
    updating_bars_ = true;
    const auto units = [this](double seconds) {
        return static_cast<int>(std::lround(seconds / axis_.duration() * kBarUnits));
    };
    QScrollBar* bar = horizontalScrollBar();
    const int page = std::max(1, units(axis_.span()));
    bar->setPageStep(page);
    bar->setSingleStep(std::max(1, page / 10));
    bar->setRange(0, std::max(0, kBarUnits - page));
    bar->setValue(units(axis_.begin()));
    updating_bars_ = false;
    viewport()->update();
    Q_EMIT visibleRangeChanged(axis_.begin(), axis_.end());
}

void SignalView::scrollContentsBy(int dx, int dy) {
    if (updating_bars_) {
        return;
    }
    if (dx != 0) {
        const double begin =
            static_cast<double>(horizontalScrollBar()->value()) / kBarUnits * axis_.duration();
        axis_.setRange(begin, begin + axis_.span());
        Q_EMIT visibleRangeChanged(axis_.begin(), axis_.end());
    }
    if (dy != 0) {
        layoutStrips();
    }
    viewport()->update();
}

void SignalView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layoutStrips();
    viewport()->update();
}

void SignalView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    switch (event->type()) {
        case QEvent::PaletteChange:
        case QEvent::FontChange:
        case QEvent::LocaleChange:
        case QEvent::LanguageChange:
        case QEvent::StyleChange:
            for (const auto& strip : strips_) {
                strip->invalidate();
            }
            refreshColorBar();
            layoutStrips();
            viewport()->update();
            break;
        default:
            break;
    }
}

}  // namespace earscope
