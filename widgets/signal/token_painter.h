#pragma once
#include "core/bridge/values.h"
#include "widgets/signal/time_axis.h"

#include <QPalette>
#include <QRect>

#include <vector>

class QPainter;

namespace earscope {

/// A stretch of time with its number of audio tokens: a window of Music Flamingo or a chunk of
/// MOSS-Music.
struct WindowSpan {
    double beginSeconds = 0;
    double endSeconds = 0;
    int tokens = -1;  ///< -1: not told
};

/// Windows or chunks of a prepared source, in order.
std::vector<WindowSpan> windowSpans(const PreparedSource& source);

/// Where the source goes on but the model hears no more; the sound's end when all is heard.
double seenEndSeconds(double soundSeconds, const PreparedSource& source);

/// Where a source's tokens are not neighbours in the prompt.
struct TokenSeparator {
    double seconds = 0;
    int tokens = 0;  ///< time digits that stand there; 0: the begin or the end of the source
};

/// Time digits between the audio tokens, and a boundary at either end; none where no positions are
/// known.
std::vector<TokenSeparator> tokenSeparators(const PreparedSource& source);

/// Draws the windows as labelled cells, as far as they are visible.
void paintWindows(QPainter& painter, const QRect& area, const TimeAxis& axis,
                  const std::vector<WindowSpan>& spans, const QString& labelPattern,
                  const QPalette& palette);

/// Draws token cells with their numbers; where they are narrower than a few pixels, one band. Looks
/// at the visible tokens only. Time digits and boundaries are thin lines between the cells.
void paintTokens(QPainter& painter, const QRect& area, const TimeAxis& axis,
                 const PreparedSource& source, const QColor& color, const QPalette& palette);

}  // namespace earscope
