#pragma once
#include "core/bridge/values.h"
#include "widgets/signal/time_axis.h"

#include <QPalette>
#include <QRect>

#include <vector>

class QPainter;

namespace earscope {

/// Height of each pixel column in 0..1 of `maximum`: the largest value among the tokens that the
/// column touches, so that a lone one is never lost.
std::vector<double> laneColumns(const std::vector<double>& values, const PreparedSource& source,
                                double maximum, const TimeAxis& axis, int columns);

/// Draws one value per token of a source as bars on the time axis, 0 at the bottom.
void paintLane(QPainter& painter, const QRect& area, const std::vector<double>& columns,
               const QPalette& palette);

}  // namespace earscope
