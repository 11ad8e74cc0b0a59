#pragma once
#include "widgets/signal/time_axis.h"

#include <QPalette>
#include <QRect>

#include <span>
#include <vector>

class QPainter;

namespace earscope {

class PeakPyramid;

/// One pixel column of a waveform, in pixels from the top of its area.
struct WaveformColumn {
    double top = 0;
    double bottom = 0;
    bool empty = true;   ///< before or after the sound
    bool over = false;   ///< a sample beyond +1
    bool under = false;  ///< a sample beyond -1
};

/// Reduces the visible part of a signal to pixel columns: -1..1 fill the height, what is beyond is
/// cut and marked. Neighbouring columns touch, so that a zoomed-in curve has no gaps.
std::vector<WaveformColumn> waveformColumns(const PeakPyramid& peaks,
                                            std::span<const float> samples, int sampleRate,
                                            const TimeAxis& axis, int columns, double height);

/// Draws columns of one device pixel each. `pixelsPerUnit` is the device pixel ratio.
void paintWaveform(QPainter& painter, const QRect& area, const std::vector<WaveformColumn>& columns,
                   double pixelsPerUnit, const QPalette& palette);

}  // namespace earscope
