#include "widgets/signal/strip_layout.h"
#include "widgets/signal/time_axis.h"

#include <QtTest>

#include <cmath>

using namespace earscope;

class TestTimeAxis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    void zoomAt_inAndOut_keepsTheTimeUnderTheMouse() {
        TimeAxis axis;
        axis.setDuration(1200);
        axis.setWidth(1000);
        axis.fit();
        const double seconds = axis.secondsAt(700);
        for (int i = 0; i < 20; ++i) {
            axis.zoomAt(700, 0.7);
            QVERIFY(std::abs(axis.secondsAt(700) - seconds) < 1e-6);
        }
        QVERIFY(axis.span() < 2);
        for (int i = 0; i < 100; ++i) {
            axis.zoomAt(700, 1.4);
        }
        QVERIFY(axis.isFitted());
    }

    void zoom_hasALimit_andShortSoundsAreWhole() {
        TimeAxis axis;
        axis.setDuration(60);
        axis.setWidth(500);
        axis.fit();
        for (int i = 0; i < 200; ++i) {
            axis.zoomAt(250, 0.5);
        }
        QVERIFY(std::abs(axis.span() - TimeAxis::kShortestSeconds) < 1e-12);
        axis.setDuration(0);
        QVERIFY(axis.span() > 0);
    }

    void pan_stopsAtBothEnds() {
        TimeAxis axis;
        axis.setDuration(100);
        axis.setWidth(100);
        axis.setRange(40, 60);
        axis.panPixels(1e6);
        QCOMPARE(axis.end(), 100.0);
        QCOMPARE(axis.span(), 20.0);
        axis.panPixels(-1e6);
        QCOMPARE(axis.begin(), 0.0);
        axis.reveal(50);
        QCOMPARE(axis.end(), 50.0);
        axis.reveal(10);
        QCOMPARE(axis.begin(), 10.0);
    }

    void ticks_anySpan_areRoundAndApart_data() {
        QTest::addColumn<double>("span");
        for (const double span :
             {0.001, 0.013, 0.4, 1.0, 7.3, 59.0, 61.0, 600.0, 1200.0, 14400.0}) {
            QTest::addRow("%g s", span) << span;
        }
    }
    void ticks_anySpan_areRoundAndApart() {
        QFETCH(double, span);
        TimeAxis axis;
        axis.setDuration(20'000);
        axis.setWidth(1000);
        axis.setRange(3.7, 3.7 + span);
        double last_major = -1;
        int majors = 0;
        for (const TimeAxis::Tick& tick : axis.ticks(80)) {
            QVERIFY(tick.seconds >= axis.begin() - 1e-6 && tick.seconds <= axis.end() + 1e-6);
            if (!tick.major) {
                QVERIFY(tick.text.isEmpty());
                continue;
            }
            QVERIFY(!tick.text.isEmpty());
            if (last_major >= 0) {
                const double apart = axis.xOf(tick.seconds) - axis.xOf(last_major);
                QVERIFY2(apart >= 79.9 && apart <= 400, qPrintable(QString::number(apart)));
            }
            last_major = tick.seconds;
            ++majors;
        }
        QVERIFY(majors >= 2 && majors <= 13);
    }

    void timeText_units_readAsAClock() {
        QCOMPARE(timeText(12.48, 0.01), QStringLiteral("12.48"));
        QCOMPARE(timeText(0, 0.5), QStringLiteral("0.0"));
        QCOMPARE(timeText(125.3, 0.1), QStringLiteral("2:05.3"));
        QCOMPARE(timeText(59.96, 0.1), QStringLiteral("1:00.0"));
        QCOMPARE(timeText(60, 30), QStringLiteral("1:00"));
        QCOMPARE(timeText(3725, 60), QStringLiteral("1:02:05"));
        QCOMPARE(timeText(3.0005, 0.0005), QStringLiteral("3.0005"));
    }

    void melBinHz_knownFilters_haveTheirFrequencies() {
        // Corners of 128 Slaney filters between 0 and 8 kHz lie 0.3507 mel apart; below 1 kHz one
        // mel is 66.67 Hz.
        QVERIFY(std::abs(melBinHz(0) - 23.4) < 0.1);
        QVERIFY(melBinHz(127) > 7'600 && melBinHz(127) < 8'000);
        for (int bin = 1; bin < 128; ++bin) {
            QVERIFY(melBinHz(bin) > melBinHz(bin - 1));
        }
        const double step = melBinHz(20) - melBinHz(19);
        QVERIFY(std::abs(step - melBinHz(0)) < 1e-9);
    }
};

QTEST_GUILESS_MAIN(TestTimeAxis)
#include "tst_time_axis.moc"
