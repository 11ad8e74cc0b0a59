// resample_poly gives what SciPy's gives, at every pair of rates, fast and in little memory.
#include "audio/resample.h"
#include "tests/support/fixtures.h"
#include "tests/support/float_compare.h"
#include "tests/support/process.h"
#include "tests/support/stop_at.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <ctime>
#include <numbers>
#include <numeric>
#include <random>

using namespace earscope;
using namespace earscope::test;

namespace {

// The fixtures' own bound; SciPy's float32 sums and float64 ones differ by up to 5.4e-7.
constexpr double kBound = 1e-6;

std::vector<float> noise(std::size_t count) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> values(-1.0F, 1.0F);
    std::vector<float> samples(count);
    std::generate(samples.begin(), samples.end(), [&] { return values(random); });
    return samples;
}

/// Processor time of this thread, so that other programs do not count.
double threadMilliseconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// The formula, term by term in float64, for one output. Independent of the product: the filter is
/// summed up directly and the Bessel function is the library's.
class Reference {
public:
    Reference(std::int64_t from, std::int64_t to)
        : up_(to / std::gcd(from, to)),
          down_(from / std::gcd(from, to)),
          max_(std::max(up_, down_)),
          half_(10 * max_) {
        for (std::int64_t n = -half_; n <= half_; ++n) {
            sum_ += raw(n);
        }
    }
    double output(const std::vector<float>& in, std::int64_t o) const {
        double sum = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::int64_t n = o * down_ - static_cast<std::int64_t>(i) * up_;
            if (std::abs(n) <= half_) {
                sum += static_cast<double>(in[i]) * raw(n) / sum_ * static_cast<double>(up_);
            }
        }
        return sum;
    }

private:
    double raw(std::int64_t n) const {
        const double t = static_cast<double>(n) / static_cast<double>(max_);
        const double r = static_cast<double>(n) / static_cast<double>(half_);
        const double sinc = n == 0 ? 1 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t);
        return sinc * std::cyl_bessel_i(0, 5 * std::sqrt(1 - r * r)) / std::cyl_bessel_i(0, 5.0);
    }
    std::int64_t up_;
    std::int64_t down_;
    std::int64_t max_;
    std::int64_t half_;
    double sum_ = 0;
};

}  // namespace

class TestResample : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resample_fixtures_equalScipy() {
        for (const auto& folder : fixtureFolders("audio/resample", "frontend/resample")) {
            const auto tensors = SafetensorsFile::open(folder / "cases.safetensors");
            const QJsonDocument document = readJson(folder / "cases.json");
            const QJsonArray list = document[QLatin1String("cases")].toArray();
            QVERIFY(list.size() >= 49);
            for (const auto& entry : list) {
                compareCase(tensors, entry.toObject());
            }
        }
        qInfo("%d cases: largest difference %.3g; %zu of %zu samples equal to the bit", cases_,
              worst_, equal_, samples_);
    }

    void resample_anyRates_followsTheFormula_data() {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::newRow("lowest") << qint64{1000} << qint64{16000};
        QTest::newRow("highest") << qint64{768000} << qint64{16000};
        QTest::newRow("highest to lowest") << qint64{768000} << qint64{1000};
        QTest::newRow("lowest to highest") << qint64{1000} << qint64{768000};
        QTest::newRow("prime") << qint64{44101} << qint64{16000};
        QTest::newRow("prime near 100 kHz") << qint64{99991} << qint64{16000};
        QTest::newRow("to 48 kHz") << qint64{44100} << qint64{48000};
    }
    void resample_anyRates_followsTheFormula() {
        QFETCH(qint64, from);
        QFETCH(qint64, to);
        const std::vector<float> in = noise(701);
        const auto out = resample_poly(in, from, to);
        const auto total = (static_cast<std::int64_t>(in.size()) * to + from - 1) / from;
        QCOMPARE(static_cast<std::int64_t>(out.size()), total);
        const Reference reference(from, to);
        const std::int64_t step = std::max<std::int64_t>(total / 50, 1);
        for (std::int64_t o = 0; o < total; o += step) {
            const double got = static_cast<double>(out[static_cast<std::size_t>(o)]);
            const double difference = std::abs(got - reference.output(in, o));
            QVERIFY2(difference < kBound,
                     qPrintable(QStringLiteral("output %1: %2").arg(o).arg(difference)));
        }
    }

    void resample_longSignal_equalsItsParts() {
        // Several blocks of lanes: every output must not depend on where its block begins.
        const std::vector<float> in = noise(100'003);
        const auto out = resample_poly(in, 44100);
        const Reference reference(44100, 16000);
        for (const std::int64_t o :
             {0, 1, 127, 128, 159, 160, 2559, 2560, 2561, 20479, 20480, 36282}) {
            const std::int64_t first = std::max<std::int64_t>(o * 441 / 160 - 40, 0) / 441 * 441;
            const auto begin = in.begin() + first;
            const auto length = std::min<std::ptrdiff_t>(in.end() - begin, 1200);
            const double wanted = reference.output({begin, begin + length}, o - first / 441 * 160);
            QVERIFY(std::abs(static_cast<double>(out[static_cast<std::size_t>(o)]) - wanted) <
                    kBound);
        }
    }

    void resample_sameRate_copies() {
        const std::vector<float> in{1.5F, -2.0F, NAN};
        const auto out = resample_poly(in, 16000);
        QCOMPARE(floatMismatch(out, in, 0), QString());
    }

    void resample_empty_staysEmpty() { QVERIFY(resample_poly({}, 44100).empty()); }

    void resample_nan_staysNear() {
        std::vector<float> in = noise(44100);
        const auto clean = resample_poly(in, 44100);
        in[22050] = NAN;
        const auto out = resample_poly(in, 44100);
        int spoilt = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (std::isnan(out[i])) {
                ++spoilt;
            } else {
                QCOMPARE(out[i], clean[i]);
            }
        }
        QCOMPARE(spoilt, 21);  // counted with SciPy
    }

    void resample_wrongRate_throwsAudioError_data() {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::newRow("999 Hz") << qint64{999} << qint64{16000};
        QTest::newRow("768001 Hz") << qint64{768001} << qint64{16000};
        QTest::newRow("0 Hz") << qint64{0} << qint64{16000};
        QTest::newRow("-1 Hz") << qint64{-1} << qint64{16000};
        QTest::newRow("to 999 Hz") << qint64{16000} << qint64{999};
    }
    void resample_wrongRate_throwsAudioError() {
        QFETCH(qint64, from);
        QFETCH(qint64, to);
        const std::vector<float> in(10);
        QVERIFY_EXCEPTION_THROWN(resample_poly(in, from, to), AudioError);
    }

    void resample_stopped_throwsCancelled() {
        StopAt stop;
        const std::vector<float> in(441'000);
        QVERIFY_EXCEPTION_THROWN(resample_poly(in, 44100, 16000, stop.token(), stop.at(3)),
                                 Cancelled);
        QCOMPARE(stop.reports(), 3);
    }

    // A7, BL10: 881,981 taps, and no stretched signal of 700 million samples.
    void resample_primeRate_isQuickAndSmall() {
        const std::vector<float> in = noise(44099 * 30);
        QVERIFY(resetPeakMemory());
        const long long before = peakMemory();
        QElapsedTimer clock;
        clock.start();
        const auto out = resample_poly(in, 44099);
        const qint64 ms = clock.elapsed();
        const long long grown = peakMemory() - before;
        qInfo("30 s at 44,099 Hz: %lld ms, %lld MiB more", ms, grown >> 20);
        QCOMPARE(out.size(), std::size_t{480'000});
        QVERIFY(ms < 1000);
        QVERIFY(grown < (100LL << 20));
    }

    void resample_usualRates_areQuick_data() {
        QTest::addColumn<qint64>("rate");
        for (const qint64 rate : {8000, 22050, 32000, 44100, 48000, 96000, 192000, 767999}) {
            QTest::addRow("%lld Hz", rate) << rate;
        }
    }
    void resample_usualRates_areQuick() {
        QFETCH(qint64, rate);
        const std::vector<float> in = noise(static_cast<std::size_t>(rate * 30));
        double ms = INFINITY;
        std::vector<float> out;
        for (int round = 0; round < 3; ++round) {
            const double start = threadMilliseconds();
            out = resample_poly(in, rate);
            ms = std::min(ms, threadMilliseconds() - start);
        }
        qInfo("30 s at %lld Hz: %.1f ms", rate, ms);
        QCOMPARE(out.size(), std::size_t{480'000});
        QVERIFY(ms < 3000);  // not a benchmark: the machine may be busy or sanitizers built in
    }

private:
    void compareCase(const SafetensorsFile& tensors, const QJsonObject& facts) {
        const auto rate = facts[QLatin1String("rate")].toInteger();
        const std::string key = std::to_string(facts[QLatin1String("k")].toInteger());
        const auto wanted = floats(tensors, "out." + key);
        const auto got = resample_poly(floats(tensors, "in." + key), rate);
        const QString fault = floatMismatch(got, wanted, kBound);
        QVERIFY2(fault.isEmpty(),
                 qPrintable(QString::number(rate) + QStringLiteral(" Hz, case ") +
                            QString::fromStdString(key) + QLatin1Char(' ') + fault));
        worst_ = std::max(worst_, largestDifference(got, wanted).largest);
        samples_ += got.size();
        for (std::size_t i = 0; i < got.size(); ++i) {
            equal_ += got[i] == wanted[i] ? 1 : 0;
        }
        ++cases_;
    }

    double worst_ = 0;
    std::size_t samples_ = 0;
    std::size_t equal_ = 0;
    int cases_ = 0;
};

QTEST_GUILESS_MAIN(TestResample)
#include "tst_resample.moc"
