#include "widgets/plot/color_bar.h"
#include "widgets/plot/color_map.h"
#include "widgets/plot/theme.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace earscope;

namespace {

/// Lightness L* of CIELAB: another measure than the one the maps were made with.
double lightness(QRgb rgb) {
    const auto linear = [](int value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(qRed(rgb)) + 0.7152 * linear(qGreen(rgb)) + 0.0722 * linear(qBlue(rgb));
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

int distance(QRgb a, QRgb b) {
    return std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) +
           std::abs(qBlue(a) - qBlue(b));
}

TensorValue row(std::vector<float> values) {
    const auto count = static_cast<qint64>(values.size());
    return {{1, count}, std::make_shared<const std::vector<float>>(std::move(values))};
}

QPalette paletteOf(const QColor& base, const QColor& text) {
    QPalette palette;
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::Text, text);
    return palette;
}

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

}  // namespace

class TestColorMap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sequential_lightness_risesAllTheWay() {
        for (const ColorMapId id : {ColorMapId::Viridis, ColorMapId::Magma}) {
            const ColorMap& map = ColorMap::named(id);
            for (int i = 8; i < ColorMap::kSize; i += 8) {
                QVERIFY2(lightness(map.at(i)) > lightness(map.at(i - 8)),
                         qPrintable(QStringLiteral("map %1 entry %2").arg(int(id)).arg(i)));
            }
            QVERIFY(lightness(map.at(255)) - lightness(map.at(0)) > 70);
        }
    }

    void diverging_centreIsNeutral_endsDifferAndMatchInLightness() {
        for (const ColorMapId id : {ColorMapId::DivergingLight, ColorMapId::DivergingDark}) {
            const ColorMap& map = ColorMap::named(id);
            const QRgb centre = map.color(0, -1, 1);
            QCOMPARE(qRed(centre), qGreen(centre));
            QCOMPARE(qGreen(centre), qBlue(centre));
            QCOMPARE(map.at(127), map.at(128));
            QVERIFY(qBlue(map.at(0)) > qRed(map.at(0)));
            QVERIFY(qRed(map.at(255)) > qBlue(map.at(255)));
            for (int i = 0; i < 128; i += 16) {
                QVERIFY(std::abs(lightness(map.at(i)) - lightness(map.at(255 - i))) < 12);
            }
        }
        QVERIFY(lightness(ColorMap::named(ColorMapId::DivergingLight).at(128)) > 95);
        QVERIFY(lightness(ColorMap::named(ColorMapId::DivergingDark).at(128)) < 15);
    }

    void diverging_followsThePalette() {
        QCOMPARE(ColorMap::diverging(paletteOf(Qt::white, Qt::black)).id(),
                 ColorMapId::DivergingLight);
        QCOMPARE(ColorMap::diverging(paletteOf(QColor(30, 30, 30), Qt::white)).id(),
                 ColorMapId::DivergingDark);
    }

    void neighbours_noStepIsVisibleAsABand() {
        for (int id = 0; id < 4; ++id) {
            const ColorMap& map = ColorMap::named(static_cast<ColorMapId>(id));
            for (int i = 1; i < ColorMap::kSize; ++i) {
                QVERIFY(distance(map.at(i), map.at(i - 1)) < 24);
            }
        }
    }

    void nanColor_isFarFromEveryMap() {
        for (int id = 0; id < 4; ++id) {
            const ColorMap& map = ColorMap::named(static_cast<ColorMapId>(id));
            QCOMPARE(map.color(kNan, 0, 1), ColorMap::nanColor());
            for (int i = 0; i < ColorMap::kSize; ++i) {
                QVERIFY(distance(map.at(i), ColorMap::nanColor()) > 80);
            }
        }
    }

    void color_limits_endsAndBeyond() {
        const ColorMap& map = ColorMap::named(ColorMapId::Viridis);
        QCOMPARE(map.color(2, 2, 4), map.at(0));
        QCOMPARE(map.color(4, 2, 4), map.at(255));
        QCOMPARE(map.color(-kInf, 2, 4), map.at(0));
        QCOMPARE(map.color(kInf, 2, 4), map.at(255));
        QCOMPARE(map.color(3, 3, 3), map.at(128));  // empty limits divide by nothing
    }

    void limits_nanInfinityEmptyConstant_areUsable() {
        QCOMPARE(fullLimits(row({1, kNan, kInf, -3})), (ColorLimits{-3, 1}));
        QCOMPARE(fullLimits(row({kNan, kNan})), ColorLimits{});
        QCOMPARE(robustLimits(row({})), ColorLimits{});
        QCOMPARE(robustLimits(row({kNan})), ColorLimits{});
        const ColorLimits constant = robustLimits(row({5, 5, 5}));
        QVERIFY(constant.low < 5 && constant.high > 5);
        const ColorLimits zero = fullLimits(row({0, 0}));
        QVERIFY(zero.low < 0 && zero.high > 0);
    }

    void robustLimits_fewHugeValues_areLeftOut() {
        std::vector<float> values(10'000);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i % 100);
        }
        values[17] = 1e9F;
        values[4242] = -1e9F;
        const ColorLimits limits = robustLimits(row(values));
        QCOMPARE(limits, (ColorLimits{0, 99}));
    }

    void robustLimits_hugeTensor_staysNearTheTruth() {
        std::vector<float> values(5'000'000);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i % 1000);
        }
        const ColorLimits limits = robustLimits(row(std::move(values)));
        QVERIFY(std::abs(limits.low - 5) <= 2);
        QVERIFY(std::abs(limits.high - 995) <= 2);
    }

    void symmetricLimits_largerSideDecides() {
        QCOMPARE(symmetricLimits({-2, 7}), (ColorLimits{-7, 7}));
        QCOMPARE(symmetricLimits({-9, 7}), (ColorLimits{-9, 9}));
    }

    void theme_bothPalettes_colorsKeepTheirContrast() {
        for (const QPalette& palette : {paletteOf(Qt::white, Qt::black),
                                        paletteOf(QColor(35, 35, 38), QColor(235, 235, 235))}) {
            const QColor base = palette.color(QPalette::Base);
            for (int source = 0; source < 5; ++source) {
                const QColor color = sourceColor(source, palette);
                QVERIFY(contrast(color, base) >= 3);
                QVERIFY(contrast(color, readableOn(color)) >= 4.5);
            }
            for (const QColor& color :
                 {errorColor(palette), noticeColor(palette), quietTextColor(palette)}) {
                QVERIFY(contrast(color, base) >= 4.5);
            }
            QVERIFY(contrast(waveformColor(palette), base) >= 3);
            QVERIFY(contrast(playHeadColor(palette), base) >= 3);
        }
    }

    void colorBar_limitsUnitNote_standInItsDescription() {
        ColorBar bar;
        bar.setMap(ColorMapId::DivergingLight);
        bar.setUnit(QStringLiteral("activation"));
        bar.setLimits({-1.5F, 1.5F}, QStringLiteral("p0.5…p99.5"));
        QVERIFY(bar.accessibleDescription().contains(QStringLiteral("1.5")));
        QVERIFY(bar.accessibleDescription().contains(QStringLiteral("activation")));
        QVERIFY(bar.accessibleDescription().contains(QStringLiteral("p0.5")));
        bar.resize(bar.sizeHint());
        const QImage image = bar.grab().toImage();
        // Low at the bottom, high at the top.
        const QColor top = image.pixelColor(10, bar.fontMetrics().height());
        const QColor bottom = image.pixelColor(10, image.height() - bar.fontMetrics().height());
        QVERIFY(top.red() > top.blue());
        QVERIFY(bottom.blue() > bottom.red());
    }
};

QTEST_MAIN(TestColorMap)
#include "tst_color_map.moc"
