#include "widgets/plot/color_map.h"

#include "widgets/plot/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

namespace earscope {

namespace {

/// A colour by lightness, chroma and hue of the Oklab space, at a place of a map.
struct Stop {
    double at;
    double lightness;
    double chroma;
    double hue_degrees;
};

struct Lab {
    double lightness;
    double a;
    double b;
};

Lab labOf(const Stop& stop) {
    constexpr double kRadians = 3.14159265358979323846 / 180.0;
    return {stop.lightness, stop.chroma * std::cos(stop.hue_degrees * kRadians),
            stop.chroma * std::sin(stop.hue_degrees * kRadians)};
}

int channel(double linear) {
    const double value = std::clamp(linear, 0.0, 1.0);
    const double encoded =
        value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255 * encoded));
}

/// Oklab to sRGB, by B. Ottosson's matrices (2020).
QRgb rgbOf(const Lab& lab) {
    const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
    const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
    const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
    return qRgb(channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

// Lightness rises in a straight line; hue and chroma were chosen by eye after the maps of that
// name.
constexpr Stop kViridis[] = {{0.00, 0.28, 0.130, 312},
                             {0.25, 0.44, 0.110, 268},
                             {0.50, 0.60, 0.095, 200},
                             {0.75, 0.76, 0.155, 150},
                             {1.00, 0.92, 0.180, 106}};
constexpr Stop kMagma[] = {{0.00, 0.08, 0.020, 285},
                           {0.25, 0.305, 0.145, 298},
                           {0.50, 0.53, 0.190, 350},
                           {0.75, 0.755, 0.150, 393},
                           {1.00, 0.98, 0.060, 462}};
// The middle is flat over both entries next to the centre, so that 0 is exactly neutral.
constexpr double kLeftOfCentre = 127.0 / 255;
constexpr double kRightOfCentre = 128.0 / 255;
constexpr Stop kLight[] = {{0.00, 0.36, 0.150, 264},     {0.22, 0.60, 0.135, 250},
                           {kLeftOfCentre, 0.985, 0, 0}, {kRightOfCentre, 0.985, 0, 0},
                           {0.78, 0.60, 0.165, 30},      {1.00, 0.36, 0.145, 26}};
constexpr Stop kDark[] = {{0.00, 0.86, 0.090, 220},    {0.22, 0.58, 0.150, 250},
                          {kLeftOfCentre, 0.21, 0, 0}, {kRightOfCentre, 0.21, 0, 0},
                          {0.78, 0.58, 0.180, 28},     {1.00, 0.86, 0.100, 60}};

std::span<const Stop> stopsOf(ColorMapId id) {
    switch (id) {
        case ColorMapId::Viridis:
            return kViridis;
        case ColorMapId::Magma:
            return kMagma;
        case ColorMapId::DivergingLight:
            return kLight;
        case ColorMapId::DivergingDark:
            return kDark;
    }
    return kViridis;
}

QRgb interpolated(std::span<const Stop> stops, double at) {
    std::size_t next = 1;
    while (next + 1 < stops.size() && stops[next].at < at) {
        ++next;
    }
    const Stop& before = stops[next - 1];
    const Stop& after = stops[next];
    const double t = std::clamp((at - before.at) / (after.at - before.at), 0.0, 1.0);
    const Lab a = labOf(before);
    const Lab b = labOf(after);
    return rgbOf({a.lightness + t * (b.lightness - a.lightness), a.a + t * (b.a - a.a),
                  a.b + t * (b.b - a.b)});
}

ColorLimits widened(float low, float high) {
    if (low < high) {
        return {low, high};
    }
    const float half = std::max(1e-3F, std::abs(low) * 0.05F);
    return {low - half, low + half};
}

}  // namespace

ColorMap::ColorMap(ColorMapId id) : id_(id) {
    const std::span<const Stop> stops = stopsOf(id);
    for (int i = 0; i < kSize; ++i) {
        table_[static_cast<std::size_t>(i)] = interpolated(stops, i / double(kSize - 1));
    }
}

const ColorMap& ColorMap::named(ColorMapId id) {
    static const std::array<ColorMap, 4> kMaps{
        ColorMap(ColorMapId::Viridis), ColorMap(ColorMapId::Magma),
        ColorMap(ColorMapId::DivergingLight), ColorMap(ColorMapId::DivergingDark)};
    return kMaps[static_cast<std::size_t>(id)];
}

const ColorMap& ColorMap::diverging(const QPalette& palette) {
    return named(isDark(palette) ? ColorMapId::DivergingDark : ColorMapId::DivergingLight);
}

QRgb ColorMap::color(float value, float low, float high) const {
    if (std::isnan(value)) {
        return nanColor();
    }
    const float span = high - low;
    if (!(span > 0)) {
        return at(value > high ? kSize - 1 : value < low ? 0 : kSize / 2);
    }
    // As in matrix_render.cpp, so that a legend and a picture round alike.
    const float place = (std::clamp(value, low, high) - low) * (kSize / span);
    return at(std::min(static_cast<int>(place), kSize - 1));
}

QRgb ColorMap::nanColor() {
    return qRgb(0, 255, 40);
}

ColorLimits fullLimits(const TensorValue& values) {
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    if (!values.isEmpty()) {
        for (const float value : *values.data) {
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
    }
    return low <= high ? widened(low, high) : ColorLimits{};
}

ColorLimits robustLimits(const TensorValue& values, double lowPercent, double highPercent) {
    constexpr std::size_t kEnough = 1 << 18;
    std::vector<float> sample;
    if (!values.isEmpty()) {
        // One value at a place drawn within each step: a fixed step would stay on the same few
        // columns of a matrix whose width it divides.
        const std::size_t step = std::max<std::size_t>(1, values.data->size() / kEnough);
        sample.reserve(values.data->size() / step + 1);
        std::minstd_rand draw(1);  // the same limits every time
        for (std::size_t i = 0; i + step <= values.data->size(); i += step) {
            const float value = (*values.data)[i + draw() % step];
            if (std::isfinite(value)) {
                sample.push_back(value);
            }
        }
    }
    if (sample.empty()) {
        return {};
    }
    const auto percentile = [&sample](double percent) {
        const double place = percent / 100 * static_cast<double>(sample.size() - 1);
        const auto at = sample.begin() + std::lround(place);
        std::nth_element(sample.begin(), at, sample.end());
        return *at;
    };
    const float low = percentile(lowPercent);
    return widened(low, percentile(highPercent));
}

ColorLimits symmetricLimits(const ColorLimits& limits) {
    const float reach = std::max(std::abs(limits.low), std::abs(limits.high));
    return {-reach, reach};
}

}  // namespace earscope
