// The peak pyramid shows what is in the samples, at every zoom.
#include "audio/decode.h"
#include "audio/peaks.h"
#include "tests/support/fixtures.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <random>

using namespace earscope;
using namespace earscope::test;

namespace {

std::vector<float> noise(std::size_t count) {
    std::mt19937 random(11);
    std::normal_distribution<float> values;
    std::vector<float> samples(count);
    std::generate(samples.begin(), samples.end(), [&] { return values(random); });
    return samples;
}

/// Looks at every sample that a slice touches.
std::vector<Peak> slowly(const std::vector<float>& samples, double begin, double end, int columns) {
    std::vector<Peak> peaks;
    for (int column = 0; column < columns; ++column) {
        const double left = begin + (end - begin) * column / columns;
        const double right = begin + (end - begin) * (column + 1) / columns;
        Peak peak{INFINITY, -INFINITY};
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto at = static_cast<double>(i);
            if (at < right && at + 1 > left) {
                peak.min = std::min(peak.min, samples[i]);
                peak.max = std::max(peak.max, samples[i]);
            }
        }
        peaks.push_back(peak.min <= peak.max ? peak : Peak{});
    }
    return peaks;
}

void compare(const std::vector<Peak>& got, const std::vector<Peak>& wanted) {
    QCOMPARE(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        QCOMPARE(got[i].min, wanted[i].min);
        QCOMPARE(got[i].max, wanted[i].max);
    }
}

}  // namespace

class TestPeaks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void columns_anyRange_equalEverySampleLookedAt_data() {
        QTest::addColumn<int>("count");
        for (const int count : {1, 2, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 20011}) {
            QTest::addRow("%d samples", count) << count;
        }
    }
    void columns_anyRange_equalEverySampleLookedAt() {
        QFETCH(int, count);
        const std::vector<float> samples = noise(static_cast<std::size_t>(count));
        const PeakPyramid pyramid(samples);
        QCOMPARE(pyramid.sample_count(), std::int64_t{count});
        std::mt19937 random(3);
        std::uniform_real_distribution<double> position(-0.2 * count - 1, 1.2 * count + 1);
        for (int round = 0; round < 60; ++round) {
            const double a = position(random);
            const double b = position(random);
            const int columns = 1 + round % 17;
            compare(pyramid.columns(samples, std::min(a, b), std::max(a, b), columns),
                    slowly(samples, std::min(a, b), std::max(a, b), columns));
        }
        compare(pyramid.columns(samples, 0, count, 7), slowly(samples, 0, count, 7));
    }

    // BL44
    void columns_loneImpulses_showAtEveryZoom() {
        const auto samples =
            decode_file(fixture("bugfiles/BL44_six_impulses_60s.flac")).waveform.samples;
        QCOMPARE(samples.size(), std::size_t{960'017});
        const PeakPyramid pyramid(samples);
        constexpr int kWidth = 800;
        int checked = 0;
        for (double perColumn = static_cast<double>(samples.size()) / kWidth; perColumn > 0.2;
             perColumn /= 1.7) {
            for (const std::size_t impulse : {1, 997, 100'003, 333'331, 640'001, 960'016}) {
                const auto at = static_cast<double>(impulse);
                const double begin = std::max(0.0, std::floor(at - perColumn * 311));
                const auto columns =
                    pyramid.columns(samples, begin, begin + perColumn * kWidth, kWidth);
                const auto column = static_cast<std::size_t>((at - begin) / perColumn);
                QVERIFY(column < columns.size());
                const float value = samples[impulse];
                QCOMPARE(value > 0 ? columns[column].max : columns[column].min, value);
                QCOMPARE(std::abs(value), 0.899993896484375F);
                ++checked;
            }
        }
        QVERIFY(checked > 90);
    }

    void columns_shorterThanASample_showTheSampleTheyLieIn() {
        const std::vector<float> samples{0.1F, -0.2F, 0.3F};
        const auto columns = PeakPyramid(samples).columns(samples, 1, 2, 4);
        for (const Peak& peak : columns) {
            QCOMPARE(peak.min, -0.2F);
            QCOMPARE(peak.max, -0.2F);
        }
    }

    void columns_outside_areZero() {
        const std::vector<float> samples(10, 1.0F);
        const auto columns = PeakPyramid(samples).columns(samples, -10, 20, 3);
        compare(columns, {{0, 0}, {1, 1}, {0, 0}});
    }

    void columns_nan_countsAsZero() {
        const std::vector<float> samples{NAN, -1.0F, -2.0F};
        const auto columns = PeakPyramid(samples).columns(samples, 0, 3, 1);
        compare(columns, {{-2, 0}});
    }

    void columns_emptyOrSenseless_areZero() {
        const std::vector<float> none;
        compare(PeakPyramid(none).columns(none, 0, 10, 2), {{0, 0}, {0, 0}});
        compare(PeakPyramid().columns(none, 0, 10, 2), {{0, 0}, {0, 0}});
        const std::vector<float> one{1.0F};
        QVERIFY(PeakPyramid(one).columns(one, 0, 1, 0).empty());
        QVERIFY(PeakPyramid(one).columns(one, 0, 1, -5).empty());
        compare(PeakPyramid(one).columns(one, 5, 2, 1), {{0, 0}});
        compare(PeakPyramid(one).columns(one, NAN, 2, 1), {{0, 0}});
        compare(PeakPyramid(one).columns(one, -1e300, 1e300, 1), {{1, 1}});
    }

    void columns_twentyMinutes_areQuick() {
        const std::vector<float> samples = noise(20 * 60 * 16'000);
        const PeakPyramid pyramid(samples);
        QElapsedTimer clock;
        clock.start();
        constexpr int kRounds = 20;
        for (int round = 0; round < kRounds; ++round) {
            (void)pyramid.columns(samples, round, static_cast<double>(samples.size()), 2000);
        }
        const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6 / kRounds;
        qInfo("2,000 columns of 20 minutes: %.2f ms", ms);
        QVERIFY(ms < 50);
    }
};

QTEST_GUILESS_MAIN(TestPeaks)
#include "tst_peaks.moc"
