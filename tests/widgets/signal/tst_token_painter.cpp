#include "widgets/signal/token_painter.h"

#include <QImage>
#include <QPainter>
#include <QtTest>

using namespace earscope;

namespace {

PreparedSource musicFlamingo(double seconds) {
    PreparedSource source;
    source.durationSeconds = seconds;
    source.secondsPerToken = 0.04;
    double rest = seconds;
    int index = 0;
    while (rest > 0) {
        const int tokens = static_cast<int>(std::min(rest, 30.0) / 0.04);
        source.windowTokens.push_back(tokens);
        for (int t = 0; t < tokens; ++t) {
            source.tokenSeconds.push_back(30.0 * index + 0.04 * t);
        }
        rest -= 30;
        ++index;
    }
    source.tokens = static_cast<int>(source.tokenSeconds.size());
    return source;
}

}  // namespace

class TestTokenPainter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void windowSpans_windows_areHalfMinutesAndARest() {
        const std::vector<WindowSpan> spans = windowSpans(musicFlamingo(65));
        QCOMPARE(spans.size(), std::size_t(3));
        QCOMPARE(spans[1].beginSeconds, 30.0);
        QCOMPARE(spans[2].endSeconds, 65.0);
        QCOMPARE(spans[2].tokens, 125);
    }

    void windowSpans_emptyLastWindow_isNotBackwards() {
        PreparedSource source = musicFlamingo(30);
        source.windowTokens.push_back(0);
        const std::vector<WindowSpan> spans = windowSpans(source);
        QCOMPARE(spans.size(), std::size_t(2));
        QVERIFY(spans[1].endSeconds >= spans[1].beginSeconds);
    }

    void windowSpans_chunks_addUpFrames() {
        PreparedSource source;
        source.chunkFrames = {400, 400, 37};
        const std::vector<WindowSpan> spans = windowSpans(source);
        QCOMPARE(spans.size(), std::size_t(3));
        QCOMPARE(spans[2].beginSeconds, 8.0);
        QCOMPARE(spans[2].endSeconds, 8.37);
        QCOMPARE(spans[2].tokens, -1);
    }

    void separators_timeDigits_standWherePositionsAreNoNeighbours() {
        PreparedSource source;
        source.secondsPerToken = 0.08;
        for (int i = 0; i < 4; ++i) {
            source.tokenSeconds.push_back(0.08 * i);
        }
        QVERIFY(tokenSeparators(source).empty());  // positions not known
        source.tokenPositions = {5, 6, 9, 10};
        const auto separators = tokenSeparators(source);
        QCOMPARE(separators.size(), std::size_t(3));
        QCOMPARE(separators[0].tokens, 0);
        QCOMPARE(separators[1].seconds, 0.16);
        QCOMPARE(separators[1].tokens, 2);
        QCOMPARE(separators[2].seconds, 0.32);
    }

    void paintTokens_timeDigits_areALineBetweenTheCells() {
        PreparedSource source;
        source.secondsPerToken = 0.08;
        source.tokenSeconds = {0, 0.08, 0.16};
        source.tokenPositions = {5, 6, 8};
        TimeAxis axis;
        axis.setDuration(0.24);
        axis.setWidth(240);
        const auto painted = [&] {
            QImage image(240, 20, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            QPalette palette;
            palette.setColor(QPalette::Base, Qt::white);
            palette.setColor(QPalette::Text, Qt::black);
            paintTokens(painter, image.rect(), axis, source, Qt::blue, palette);
            painter.end();
            return image;
        };
        QCOMPARE(painted().pixelColor(160, 2), QColor(Qt::black));
        source.tokenPositions = {5, 6, 7};
        QVERIFY(painted().pixelColor(160, 2) != QColor(Qt::black));
    }

    void seenEnd_cutSource_isTheCap() {
        QCOMPARE(seenEndSeconds(1'500, musicFlamingo(1'200)), 1'200.0);
        // One sample of rounding is no cut.
        QCOMPARE(seenEndSeconds(10.00003, musicFlamingo(10)), 10.00003);
    }

    void paintTokens_wholeAndZoomed_coversItsTimeOnly() {
        const PreparedSource source = musicFlamingo(30);
        TimeAxis axis;
        axis.setDuration(60);
        axis.setWidth(600);
        for (const auto& [begin, end] : {std::pair{0.0, 60.0}, std::pair{29.0, 31.0}}) {
            axis.setRange(begin, end);
            QImage image(600, 20, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            QPalette palette;
            palette.setColor(QPalette::Base, Qt::white);
            palette.setColor(QPalette::Text, Qt::black);
            paintTokens(painter, image.rect(), axis, source, Qt::blue, palette);
            painter.end();
            QVERIFY(image.pixelColor(296, 1) != QColor(Qt::white));
            QCOMPARE(image.pixelColor(304, 1), QColor(Qt::white));
        }
    }
};

QTEST_MAIN(TestTokenPainter)
#include "tst_token_painter.moc"
