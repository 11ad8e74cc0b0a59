#pragma once
#include "widgets/plot/color_map.h"
#include "widgets/signal/signal_view.h"
#include "widgets/signal/strip_layout.h"
#include "widgets/signal/token_painter.h"

#include <QPixmap>

class QPainter;

namespace earscope {

/// What the strips of one view have in common when they are drawn.
struct StripStyle {
    QPalette palette;
    QFont font;
    double pixelRatio = 1;
    ColorLimits melLimits;
    QString windowPattern;  ///< "window %1"
    QString unseenText;     ///< "not seen by the model"
};

/// One source's strip: its values, reduced data and drawn image. The image is drawn again only when
/// the axis, the size, the style or the values change; cursor and play head are drawn over it.
class SignalStrip {
public:
    SignalStrip(SignalSource source, int index);

    const SignalSource& source() const { return source_; }
    const StripLayout& layout() const { return layout_; }
    const std::vector<WindowSpan>& windows() const { return windows_; }
    bool isPrepared() const { return source_.prepared.has_value(); }
    double durationSeconds() const;
    /// Robust limits of the mel values; {0,0} without any.
    ColorLimits melLimits() const { return mel_limits_; }

    void setLayout(const StripLayout& layout);
    /// One value per token; empty takes the lane away.
    void setLane(std::vector<double> values, double maximum, const QString& title);
    bool hasLane() const { return isPrepared() && !lane_.empty(); }
    /// Value of a token in the lane.
    double laneValue(int token) const { return lane_[static_cast<std::size_t>(token)]; }
    int laneSize() const { return static_cast<int>(lane_.size()); }
    const QString& laneTitle() const { return lane_title_; }
    /// [128, frames]; an empty one takes it away.
    void setOverlay(const TensorValue& map, const ColorLimits& limits);
    const TensorValue& overlay() const { return overlay_values_; }
    void paint(QPainter& painter, const TimeAxis& axis, const StripStyle& style);
    /// The style changed, or what it is drawn from.
    void invalidate() { image_ = {}; }

    /// Makes the mel pyramid and its limits; taken from `older` where that has the same values.
    void reduce(const SignalStrip* older);
    bool hasMel() const { return !mel_.isEmpty(); }

private:
    void paintMargin(QPainter& painter, const StripStyle& style) const;
    void paintMelScale(QPainter& painter, const StripStyle& style) const;
    void paintSound(QPainter& painter, const TimeAxis& axis, const StripStyle& style) const;
    void paintLaneOfTokens(QPainter& painter, const TimeAxis& axis, const StripStyle& style) const;
    void paintMel(QPainter& painter, const TimeAxis& axis, const StripStyle& style) const;
    void paintUnseen(QPainter& painter, const TimeAxis& axis, const StripStyle& style) const;

    SignalSource source_;
    int index_ = 0;
    StripLayout layout_;
    std::vector<WindowSpan> windows_;
    MatrixPyramid mel_;
    ColorLimits mel_limits_{0, 0};
    std::vector<double> lane_;
    double lane_maximum_ = 0;
    QString lane_title_;
    TensorValue overlay_values_;
    MatrixPyramid overlay_;
    ColorLimits overlay_limits_;
    QPixmap image_;
    double image_begin_ = 0;
    double image_end_ = 0;
};

}  // namespace earscope
