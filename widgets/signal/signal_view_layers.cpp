// What other views lay over the sound: a lane of values per token, and maps over the mel.
#include "widgets/plot/color_bar.h"
#include "widgets/signal/signal_strip.h"
#include "widgets/signal/signal_view.h"

#include <algorithm>

namespace earscope {

void SignalView::setLanes(std::vector<std::vector<double>> values, const QString& title) {
    if (values == lanes_ && (values.empty() || title == lane_title_)) {
        return;
    }
    lanes_ = std::move(values);
    lane_title_ = lanes_.empty() ? QString() : title;
    applyLanes();
    layoutStrips();
    viewport()->update();
}

void SignalView::setOverlays(std::vector<TensorValue> maps, const QString& title) {
    const bool same =
        std::equal(maps.begin(), maps.end(), overlays_.begin(), overlays_.end(),
                   [](const TensorValue& a, const TensorValue& b) { return a.data == b.data; });
    if (same && (maps.empty() || title == overlay_title_)) {
        return;
    }
    overlays_ = std::move(maps);
    overlay_title_ = overlays_.empty() ? QString() : title;
    applyOverlays();
    layoutStrips();  // other limits need other room
    viewport()->update();
}

void SignalView::applyLanes() {
    double maximum = 0;
    for (const std::vector<double>& lane : lanes_) {
        for (const double value : lane) {
            maximum = std::max(maximum, value);
        }
    }
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        strips_[i]->setLane(i < lanes_.size() ? lanes_[i] : std::vector<double>(), maximum,
                            lane_title_);
    }
}

void SignalView::applyOverlays() {
    ColorLimits limits{0, 0};
    for (const TensorValue& map : overlays_) {
        if (!map.isEmpty()) {
            const ColorLimits own = symmetricLimits(robustLimits(map, 0.1, 99.9));
            limits = {std::min(limits.low, own.low), std::max(limits.high, own.high)};
        }
    }
    overlay_limits_ = limits;
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        strips_[i]->setOverlay(i < overlays_.size() ? overlays_[i] : TensorValue{}, limits);
    }
    refreshColorBar();
}

void SignalView::refreshColorBar() {
    const bool overlaid = !overlays_.empty();
    color_bar_->setMap(overlaid ? ColorMap::diverging(palette()).id() : ColorMapId::Magma);
    color_bar_->setUnit(overlaid ? overlay_title_ : tr("log-mel"));
    color_bar_->setLimits(overlaid ? overlay_limits_ : mel_limits_,
                          overlaid ? tr("p0.1…p99.9") : tr("p0.5…p99.5"));
}

}  // namespace earscope
