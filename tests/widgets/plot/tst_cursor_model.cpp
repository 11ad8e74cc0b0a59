#include "widgets/plot/cursor_model.h"

#include <QSignalSpy>
#include <QtTest>

#include <cmath>

using namespace earscope;

namespace {

/// `count` tokens back to back from 0, in a sound that goes on for `tail` seconds.
SourceTimes evenTimes(int count, double step, double tail = 0) {
    SourceTimes times;
    for (int i = 0; i < count; ++i) {
        times.tokenSeconds.push_back(i * step);
    }
    times.secondsPerToken = step;
    times.durationSeconds = count * step + tail;
    return times;
}

SourceTimes withoutTokens(double duration) {
    return {{}, 0, duration};
}

}  // namespace

class TestCursorModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tokenAt_everyTokenByBeginMiddleAndHair_findsIt() {
        CursorModel cursor;
        cursor.setSources({evenTimes(30'000, 0.04)});
        for (int i = 0; i < 30'000; i += 7) {
            QCOMPARE(cursor.tokenAt(0, i * 0.04), i);
            QCOMPARE(cursor.tokenAt(0, cursor.middleOf(0, i)), i);
            QCOMPARE(cursor.tokenAt(0, cursor.endOf(0, i) - 1e-6), i);
        }
    }

    void tokenAt_outsideTokens_isMinusOne() {
        CursorModel cursor;
        cursor.setSources({evenTimes(10, 0.04, 5), withoutTokens(3)});
        QCOMPARE(cursor.tokenAt(0, 2), -1);
        QCOMPARE(cursor.tokenAt(0, -0.1), -1);
        QCOMPARE(cursor.tokenAt(1, 1), -1);
        QCOMPARE(cursor.tokenAt(2, 1), -1);
        QCOMPARE(cursor.tokenAt(-1, 1), -1);
    }

    void hover_thenLock_hoverOnlyPreviews() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04)});
        QSignalSpy points(&cursor, &CursorModel::pointChanged);
        cursor.hover(0, 1.0);
        QCOMPARE(points.count(), 1);
        QCOMPARE(cursor.point(), (CursorPoint{0, 1.0}));
        cursor.lock(0, 2.0);
        cursor.hover(0, 3.0);
        QCOMPARE(points.count(), 2);
        QCOMPARE(cursor.point(), (CursorPoint{0, 2.0}));
        QCOMPARE(cursor.hoverPoint(), (CursorPoint{0, 3.0}));
        cursor.release();
        QVERIFY(!cursor.isLocked());
        QCOMPARE(cursor.point(), (CursorPoint{0, 3.0}));
        cursor.leave();
        QVERIFY(!cursor.point().isValid());
    }

    void hover_sameTwiceOrNonsense_emitsNothing() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04)});
        cursor.hover(0, 1.0);
        QSignalSpy points(&cursor, &CursorModel::pointChanged);
        cursor.hover(0, 1.0);
        QCOMPARE(points.count(), 0);
        cursor.lock(3, 1.0);
        cursor.lock(0, std::nan(""));
        QVERIFY(!cursor.isLocked());
        QCOMPARE(points.count(), 0);
    }

    void lock_beyondTheEnd_isClampedToTheSound() {
        CursorModel cursor;
        cursor.setSources({evenTimes(10, 0.04)});
        cursor.lock(0, 99);
        QCOMPARE(cursor.point().seconds, 0.4);
        cursor.lock(0, -5);
        QCOMPARE(cursor.point().seconds, 0.0);
    }

    void extendTo_bothDirections_coversWholeTokens() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04)});
        cursor.lockToken(0, 20);
        cursor.extendTo(0, cursor.middleOf(0, 25));
        QCOMPARE(cursor.range(), (CursorRange{0, 20, 25, 20 * 0.04, cursor.endOf(0, 25)}));
        cursor.extendTo(0, cursor.middleOf(0, 10));
        QCOMPARE(cursor.range().firstToken, 10);
        QCOMPARE(cursor.range().lastToken, 20);
    }

    void extendTo_otherSourceOrNothingLocked_locks() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04), evenTimes(100, 0.08)});
        cursor.extendTo(0, 1);
        QCOMPARE(cursor.point(), (CursorPoint{0, 1}));
        QVERIFY(cursor.range().isEmpty());
        cursor.extendTo(1, 2);
        QCOMPARE(cursor.point(), (CursorPoint{1, 2}));
        QVERIFY(cursor.range().isEmpty());
    }

    void extendTo_withoutTokens_rangeInSeconds() {
        CursorModel cursor;
        cursor.setSources({withoutTokens(10)});
        cursor.lock(0, 4);
        cursor.extendTo(0, 2);
        QCOMPARE(cursor.range(), (CursorRange{0, -1, -1, 2, 4}));
    }

    void moveToken_steps_stopsAtBothEnds() {
        CursorModel cursor;
        cursor.setSources({evenTimes(3, 0.04, 1)});
        cursor.moveToken(1);
        QCOMPARE(cursor.token(), 0);
        cursor.moveToken(1);
        cursor.moveToken(1);
        cursor.moveToken(1);
        QCOMPARE(cursor.token(), 2);
        cursor.lock(0, 1.0);  // in the tail, where no token is
        QCOMPARE(cursor.token(), -1);
        cursor.moveToken(-1);
        QCOMPARE(cursor.token(), 2);
        cursor.moveToken(-5);
        QCOMPARE(cursor.token(), 0);
    }

    void extendToken_backAndForth_rangeFollowsTheFreeEnd() {
        CursorModel cursor;
        cursor.setSources({evenTimes(50, 0.04)});
        cursor.lockToken(0, 10);
        cursor.extendToken(1);
        cursor.extendToken(1);
        QCOMPARE(cursor.range().lastToken, 12);
        cursor.extendToken(-1);
        QCOMPARE(cursor.range().lastToken, 11);
        cursor.extendToken(-1);
        cursor.extendToken(-1);
        QCOMPARE(cursor.range().firstToken, 9);
        QCOMPARE(cursor.range().lastToken, 10);
        QCOMPARE(cursor.token(), 10);
    }

    void moveSource_keepsTheTimeWithinTheOtherSound() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04), evenTimes(10, 0.04)});
        cursor.lock(0, 3.0);
        cursor.moveSource(1);
        QCOMPARE(cursor.point(), (CursorPoint{1, 0.4}));
        cursor.moveSource(1);
        QCOMPARE(cursor.point().source, 1);
        cursor.moveSource(-1);
        QCOMPARE(cursor.point().source, 0);
    }

    void setSources_shorterOnes_releasesWhatNoLongerFits() {
        CursorModel cursor;
        cursor.setSources({evenTimes(100, 0.04), evenTimes(100, 0.04)});
        cursor.lock(1, 1.0);
        cursor.setSources({evenTimes(100, 0.04)});
        QVERIFY(!cursor.isLocked());
        cursor.lock(0, 3.0);
        cursor.setSources({evenTimes(10, 0.04)});
        QVERIFY(!cursor.isLocked());
    }

    void setSources_prepared_rangeKeepsItsSeconds() {
        CursorModel cursor;
        cursor.setSources({withoutTokens(4)});
        cursor.lock(0, 1.0);
        cursor.extendTo(0, 2.0);
        cursor.setSources({evenTimes(100, 0.04)});
        QVERIFY(cursor.isLocked());
        QCOMPARE(cursor.range().firstToken, 25);
        QCOMPARE(cursor.range().lastToken, 49);
        QCOMPARE(cursor.range().beginSeconds, 1.0);
    }

    void setRange_outOfBounds_isClampedOrEmpty() {
        CursorModel cursor;
        cursor.setSources({evenTimes(10, 0.04)});
        QSignalSpy ranges(&cursor, &CursorModel::rangeChanged);
        cursor.setRange(0, 5, 99);
        QCOMPARE(cursor.range().lastToken, 9);
        cursor.setSecondRange(0, -3, 2);
        QCOMPARE(cursor.secondRange().firstToken, 0);
        QCOMPARE(cursor.range().firstToken, 5);
        cursor.setRange(0, 7, 3);
        QVERIFY(cursor.range().isEmpty());
        QCOMPARE(ranges.count(), 3);
        cursor.setRange(4, 0, 1);
        QVERIFY(cursor.range().isEmpty());
    }

    void noSources_everyKey_doesNothing() {
        CursorModel cursor;
        cursor.moveToken(1);
        cursor.extendToken(1);
        cursor.moveSource(1);
        cursor.hoverToken(0, 0);
        cursor.release();
        QVERIFY(!cursor.point().isValid());
        QCOMPARE(cursor.token(), -1);
    }
};

QTEST_GUILESS_MAIN(TestCursorModel)
#include "tst_cursor_model.moc"
