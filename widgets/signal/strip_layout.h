#pragma once
#include <QFontMetrics>
#include <QRect>

namespace earscope {

/// Where the parts of one strip lie. Parts that are not shown are empty.
struct StripLayout {
    QRect whole;
    QRect margin;    ///< left of the time axis: label and scales
    QRect waveform;  ///< the right parts share left and width: the time axis
    QRect lane;      ///< of values per token; empty when there are none
    QRect mel;
    QRect windows;
    QRect tokens;
    QRect message;  ///< one line, while nothing is prepared
};

/// Width of the margin in front of every strip.
int stripMarginWidth(const QFontMetrics& metrics);
/// Smallest height at which a strip can be read.
int stripMinimumHeight(const QFontMetrics& metrics, bool prepared, bool lane = false);
/// Cuts a strip into its parts; without preparation the waveform has it all.
StripLayout layoutStrip(const QRect& whole, const QFontMetrics& metrics, bool prepared,
                        bool lane = false);

/// Centre frequency of a bin of the models' 128-bin mel filter bank, in Hz (Slaney's scale: linear
/// to 1 kHz, logarithmic above; 0 to 8 kHz).
double melBinHz(int bin);

}  // namespace earscope
