#include "widgets/signal/strip_layout.h"

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr int kGap = 3;

double melOfHz(double hz) {
    return hz < 1000 ? hz / (200.0 / 3) : 15 + std::log(hz / 1000) / (std::log(6.4) / 27);
}

double hzOfMel(double mel) {
    return mel < 15 ? mel * (200.0 / 3) : 1000 * std::exp((mel - 15) * (std::log(6.4) / 27));
}

int laneHeight(const QFontMetrics& metrics) {
    return 5 * metrics.height() / 2;
}

}  // namespace

int stripMarginWidth(const QFontMetrics& metrics) {
    return metrics.horizontalAdvance(QStringLiteral("bin 127 · 0.0 kHz")) + 4 * kGap;
}

int stripMinimumHeight(const QFontMetrics& metrics, bool prepared, bool lane) {
    const int waveform = 3 * metrics.height();
    // mel, windows and tokens
    return prepared ? waveform + 5 * metrics.height() + 2 * (metrics.height() + 2) + 3 * kGap +
                          (lane ? laneHeight(metrics) + kGap : 0)
                    : waveform + kGap;
}

StripLayout layoutStrip(const QRect& whole, const QFontMetrics& metrics, bool prepared, bool lane) {
    StripLayout layout;
    layout.whole = whole;
    const int margin = std::min(stripMarginWidth(metrics), whole.width());
    layout.margin = QRect(whole.left(), whole.top(), margin, whole.height());
    const int left = whole.left() + margin;
    const int width = std::max(0, whole.width() - margin);
    const int usable = std::max(0, whole.height() - kGap);
    const int line = metrics.height() + 2;
    if (!prepared) {
        // The message gets a line of its own, where it does not hide the sound.
        const int below = usable >= 3 * line ? line : 0;
        layout.waveform = QRect(left, whole.top(), width, usable - below);
        layout.message = QRect(left, layout.waveform.bottom() + 1, width, below);
        return layout;
    }
    const int lane_room = lane ? laneHeight(metrics) + kGap : 0;
    const int rest = std::max(0, usable - 2 * line - 2 - lane_room);
    const int waveform = std::max(rest / 3, std::min(rest, 3 * metrics.height()));
    layout.waveform = QRect(left, whole.top(), width, waveform);
    if (lane) {
        layout.lane = QRect(left, layout.waveform.bottom() + 1 + kGap, width, laneHeight(metrics));
    }
    layout.mel =
        QRect(left, layout.waveform.bottom() + 2 + lane_room, width, std::max(0, rest - waveform));
    layout.windows = QRect(left, layout.mel.bottom() + 2, width, line);
    layout.tokens = QRect(left, layout.windows.bottom() + 1, width, line);
    return layout;
}

double melBinHz(int bin) {
    constexpr int kBins = 128;
    // The filters' corners are evenly spaced on the mel scale; filter k peaks at corner k + 1.
    return hzOfMel(melOfHz(8000) * (bin + 1) / (kBins + 1));
}

}  // namespace earscope
