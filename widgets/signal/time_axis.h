#pragma once
#include <QString>

#include <vector>

namespace earscope {

/// Maps seconds to pixels: the visible part of [0, duration], and zooming and panning of it.
/// Knows nothing of widgets.
class TimeAxis {
public:
    /// Finest zoom: this many seconds fill the width.
    static constexpr double kShortestSeconds = 0.001;
    /// Where the visible part ends later than this, ticks read as a clock.
    static constexpr double kClockFrom = 60;

    void setDuration(double seconds);
    void setWidth(double pixels);
    /// Clamped to the duration and the finest zoom.
    void setRange(double beginSeconds, double endSeconds);
    void fit();
    /// The time under pixel `x` stays there. `factor` below 1 shows less.
    void zoomAt(double x, double factor);
    void panPixels(double pixels);
    /// Moves as little as needed to show this time.
    void reveal(double seconds);

    double duration() const { return duration_; }
    double width() const { return width_; }
    double begin() const { return begin_; }
    double end() const { return end_; }
    double span() const { return end_ - begin_; }
    bool isFitted() const { return begin_ <= 0 && end_ >= duration_; }
    double xOf(double seconds) const { return (seconds - begin_) / span() * width_; }
    double secondsAt(double x) const { return begin_ + x / width_ * span(); }

    struct Tick {
        double seconds = 0;
        bool major = false;
        QString text;  ///< only on major ticks
    };
    /// Ticks of a round step, major ones at least `labelPixels` apart.
    std::vector<Tick> ticks(double labelPixels) const;

private:
    double duration_ = 1;
    double width_ = 1;
    double begin_ = 0;
    double end_ = 1;
};

/// "12.48", "2:05.3", "1:02:05": as many decimals as `stepSeconds` needs. Below a minute only
/// `asClock` gives "0:12.48".
QString timeText(double seconds, double stepSeconds, bool asClock = false);

}  // namespace earscope
