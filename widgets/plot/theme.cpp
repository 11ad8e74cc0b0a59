#include "widgets/plot/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace earscope {

namespace {

double luminance(const QColor& color) {
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

QColor base(const QPalette& palette) {
    return palette.color(QPalette::Base);
}

}  // namespace

bool isDark(const QPalette& palette) {
    return luminance(palette.color(QPalette::Text)) > luminance(base(palette));
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

QColor readableOn(const QColor& background) {
    return contrast(background, Qt::black) >= contrast(background, Qt::white) ? Qt::black
                                                                              : Qt::white;
}

QColor blended(const QColor& color, const QColor& background, double opacity) {
    const auto mix = [opacity](int over, int under) {
        return static_cast<int>(std::lround(opacity * over + (1 - opacity) * under));
    };
    return {mix(color.red(), background.red()), mix(color.green(), background.green()),
            mix(color.blue(), background.blue())};
}

QColor sourceColor(int source, const QPalette& palette) {
    // Okabe and Ito's order of hues, darkened or lightened to 3:1 against the background.
    static constexpr std::array<QRgb, 5> kHues{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7,
                                               0xffe69f00};
    QColor color =
        QColor::fromRgb(kHues[static_cast<std::size_t>(std::max(source, 0)) % kHues.size()]);
    for (int step = 0; step < 8 && contrast(color, base(palette)) < 3.0; ++step) {
        color = isDark(palette) ? color.lighter(115) : color.darker(115);
    }
    return color;
}

QColor waveformColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0x7a, 0xb8, 0xf5) : QColor(0x1c, 0x5d, 0xa6);
}

QColor errorColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0x8a, 0x80) : QColor(0xb7, 0x1c, 0x1c);
}

QColor noticeColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0xc8, 0x66) : QColor(0x80, 0x4d, 0x00);
}

QColor playHeadColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0x5c, 0xe0, 0x9c) : QColor(0x00, 0x7a, 0x4d);
}

QColor quietTextColor(const QPalette& palette) {
    const QColor text = palette.color(QPalette::Text);
    for (const double opacity : {0.65, 0.72, 0.8, 0.9}) {
        const QColor color = blended(text, base(palette), opacity);
        if (contrast(color, base(palette)) >= 4.5) {
            return color;
        }
    }
    return text;
}

}  // namespace earscope
