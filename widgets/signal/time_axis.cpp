#include "widgets/signal/time_axis.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

/// A step and how many minor ticks it is cut into.
struct Step {
    double seconds;
    int parts;
};

Step roundStep(double atLeast) {
    static constexpr Step kLong[] = {{60, 6},  {120, 4},  {300, 5},  {600, 5},
                                     {900, 3}, {1800, 6}, {3600, 6}, {7200, 4}};
    static constexpr Step kUpToAMinute[] = {{1, 5}, {2, 4}, {5, 5}, {10, 5}, {15, 3}, {30, 6}};
    if (atLeast > 30) {
        const auto* found = std::find_if(std::begin(kLong), std::end(kLong) - 1,
                                         [&](const Step& s) { return s.seconds >= atLeast; });
        return *found;
    }
    if (atLeast > 0.5) {
        return *std::find_if(std::begin(kUpToAMinute), std::end(kUpToAMinute) - 1,
                             [&](const Step& s) { return s.seconds >= atLeast; });
    }
    const double power = std::pow(10, std::floor(std::log10(atLeast)));
    for (const auto& [factor, parts] : {Step{1, 5}, Step{2, 4}, Step{5, 5}}) {
        if (factor * power >= atLeast * (1 - 1e-9)) {
            return {factor * power, parts};
        }
    }
    return {10 * power, 5};
}

}  // namespace

void TimeAxis::setDuration(double seconds) {
    duration_ = std::max(seconds, kShortestSeconds);
    setRange(begin_, end_);
}

void TimeAxis::setWidth(double pixels) {
    width_ = std::max(pixels, 1.0);
}

void TimeAxis::setRange(double beginSeconds, double endSeconds) {
    const double span =
        std::clamp(endSeconds - beginSeconds, std::min(kShortestSeconds, duration_), duration_);
    begin_ = std::clamp(beginSeconds, 0.0, duration_ - span);
    end_ = begin_ + span;
}

void TimeAxis::fit() {
    setRange(0, duration_);
}

void TimeAxis::zoomAt(double x, double factor) {
    const double fixed = secondsAt(x);
    const double span =
        std::clamp(this->span() * factor, std::min(kShortestSeconds, duration_), duration_);
    const double begin = fixed - x / width_ * span;
    setRange(begin, begin + span);
}

void TimeAxis::panPixels(double pixels) {
    const double seconds = pixels / width_ * span();
    setRange(begin_ + seconds, end_ + seconds);
}

void TimeAxis::reveal(double seconds) {
    if (seconds < begin_) {
        setRange(seconds, seconds + span());
    } else if (seconds > end_) {
        setRange(seconds - span(), seconds);
    }
}

std::vector<TimeAxis::Tick> TimeAxis::ticks(double labelPixels) const {
    const Step step = roundStep(labelPixels / width_ * span());
    const double minor = step.seconds / step.parts;
    std::vector<Tick> result;
    // Counted in whole steps, so that no rounding error grows along the axis.
    for (auto i = static_cast<qint64>(std::ceil(begin_ / minor - 1e-9));
         static_cast<double>(i) * minor <= end_ + 1e-9; ++i) {
        Tick tick;
        tick.seconds = static_cast<double>(i) * minor;
        tick.major = i % step.parts == 0;
        if (tick.major) {
            tick.text = timeText(tick.seconds, step.seconds, end_ >= kClockFrom);
        }
        result.push_back(tick);
    }
    return result;
}

QString timeText(double seconds, double stepSeconds, bool asClock) {
    int decimals = 0;
    while (decimals < 6 && std::abs(stepSeconds - std::round(stepSeconds * std::pow(10, decimals)) /
                                                      std::pow(10, decimals)) > 1e-9) {
        ++decimals;
    }
    const double scale = std::pow(10, decimals);
    const double rounded = std::round(seconds * scale) / scale;
    const QLocale locale;
    if (rounded < 60 && !asClock) {
        return locale.toString(rounded, 'f', decimals);
    }
    const auto minutes = static_cast<qint64>(rounded / 60);
    QString rest = locale.toString(rounded - 60 * static_cast<double>(minutes), 'f', decimals);
    if (rest.indexOf(locale.decimalPoint()) == 1 || rest.size() == 1) {
        rest.prepend(locale.zeroDigit());
    }
    if (minutes < 60) {
        return QStringLiteral("%1:%2").arg(minutes).arg(rest);
    }
    return QStringLiteral("%1:%2:%3")
        .arg(minutes / 60)
        .arg(minutes % 60, 2, 10, QLatin1Char('0'))
        .arg(rest);
}

}  // namespace earscope
