#include "audio/peaks.h"
#include "widgets/signal/waveform_painter.h"

#include <QtTest>

#include <cmath>
#include <numbers>

using namespace earscope;

namespace {

constexpr int kRate = 16'000;
constexpr double kHeight = 100;

struct Sound {
    explicit Sound(std::vector<float> values) : samples(std::move(values)), peaks(samples) {}
    std::vector<float> samples;
    PeakPyramid peaks;
};

/// As BL44's file: 60 s of silence with six single samples, the last one included.
const std::vector<std::int64_t> kImpulses{1, 997, 100'003, 333'331, 640'001, 60 * kRate - 1};

Sound impulses() {
    std::vector<float> samples(60 * kRate, 0.0F);
    for (std::size_t i = 0; i < kImpulses.size(); ++i) {
        samples[static_cast<std::size_t>(kImpulses[i])] = i % 2 == 0 ? 1.0F : -1.0F;
    }
    return Sound(std::move(samples));
}

TimeAxis axisOf(double begin, double end, double duration) {
    TimeAxis axis;
    axis.setDuration(duration);
    axis.setRange(begin, end);
    return axis;
}

}  // namespace

class TestWaveformPainter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void impulse_everyZoom_fullHeightAndSignInItsColumn() {
        const Sound sound = impulses();
        constexpr int kColumns = 997;
        for (std::size_t i = 0; i < kImpulses.size(); ++i) {
            const double at = (static_cast<double>(kImpulses[i]) + 0.5) / kRate;
            for (double span = 60; span > kColumns / double(kRate); span *= 0.71) {
                const double begin = std::clamp(at - 0.37 * span, 0.0, 60 - span);
                const TimeAxis axis = axisOf(begin, begin + span, 60);
                const std::vector<WaveformColumn> columns =
                    waveformColumns(sound.peaks, sound.samples, kRate, axis, kColumns, kHeight);
                const auto x = static_cast<int>((at - axis.begin()) / axis.span() * kColumns);
                // A sample on the border of two columns may stand in either.
                bool full = false;
                for (int near = std::max(0, x - 1); near <= std::min(kColumns - 1, x + 1); ++near) {
                    const WaveformColumn& column = columns[static_cast<std::size_t>(near)];
                    full = full || (i % 2 == 0 ? column.top == 0 : column.bottom == kHeight);
                }
                QVERIFY2(full, qPrintable(QStringLiteral("impulse %1 span %2 s").arg(i).arg(span)));
            }
        }
    }

    void overRange_isCutAndMarked() {
        std::vector<float> samples(kRate, 0.1F);
        samples[4'000] = 3.8F;
        samples[12'000] = -1.5F;
        const Sound sound(std::move(samples));
        const std::vector<WaveformColumn> columns =
            waveformColumns(sound.peaks, sound.samples, kRate, axisOf(0, 1, 1), 100, kHeight);
        int over = 0;
        int under = 0;
        for (const WaveformColumn& column : columns) {
            over += column.over ? 1 : 0;
            under += column.under ? 1 : 0;
            QVERIFY(column.top >= 0 && column.bottom <= kHeight);
        }
        QCOMPARE(over, 1);
        QCOMPARE(under, 1);
        QVERIFY(columns[25].over);
        QVERIFY(columns[75].under);
    }

    void fullScale_isNotOverRange() {
        const Sound sound(std::vector<float>{1.0F, -1.0F, 1.0F, -1.0F});
        for (const WaveformColumn& column :
             waveformColumns(sound.peaks, sound.samples, kRate, axisOf(0, 4.0 / kRate, 4.0 / kRate),
                             4, kHeight)) {
            QVERIFY(!column.over && !column.under);
        }
    }

    void curve_zoomedIn_hasNoGaps() {
        std::vector<float> samples(kRate);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] =
                static_cast<float>(std::sin(2 * std::numbers::pi * 2'000 * double(i) / kRate));
        }
        const Sound sound(std::move(samples));
        const std::vector<WaveformColumn> columns =
            waveformColumns(sound.peaks, sound.samples, kRate, axisOf(0.5, 0.51, 1), 160, kHeight);
        for (std::size_t x = 1; x < columns.size(); ++x) {
            QVERIFY(columns[x].top <= columns[x - 1].bottom + 1e-9);
            QVERIFY(columns[x].bottom >= columns[x - 1].top - 1e-9);
        }
    }

    void afterTheSound_columnsAreEmpty() {
        const Sound sound(std::vector<float>(kRate, 0.5F));
        const std::vector<WaveformColumn> columns =
            waveformColumns(sound.peaks, sound.samples, kRate, axisOf(0, 2, 2), 200, kHeight);
        QVERIFY(!columns[99].empty);
        QVERIFY(columns[101].empty);
    }
};

QTEST_GUILESS_MAIN(TestWaveformPainter)
#include "tst_waveform_painter.moc"
