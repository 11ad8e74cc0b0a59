#include "widgets/plot/cursor_model.h"
#include "widgets/tokens/token_colors.h"
#include "widgets/tokens/token_strip.h"
#include "widgets/tokens/token_table_model.h"
#include "widgets/tokens/tokens_tab.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace earscope;

namespace {

constexpr int kBefore = 4;
constexpr double kSeconds = 0.04;

/// System, text, a boundary, `audio` tokens of each of two sources, a boundary, text.
std::vector<TokenValue> tokens(int audio) {
    std::vector<TokenValue> result;
    const auto add = [&result](TokenClass tokenClass, int source, int slot) {
        TokenValue token;
        token.position = static_cast<int>(result.size());
        token.id = 1'000 + token.position;
        token.piece = QStringLiteral("piece");
        token.tokenClass = tokenClass;
        token.source = source;
        token.slotRow = slot;
        if (slot >= 0) {
            token.startSeconds = slot * kSeconds;
            token.endSeconds = (slot + 1) * kSeconds;
        }
        result.push_back(token);
    };
    add(TokenClass::Padding, -1, -1);
    add(TokenClass::System, -1, -1);
    add(TokenClass::Text, -1, -1);
    add(TokenClass::Boundary, 0, -1);
    for (int source = 0; source < 2; ++source) {
        for (int i = 0; i < audio; ++i) {
            add(TokenClass::Audio, source, i);
        }
    }
    add(TokenClass::Boundary, 1, -1);
    return result;
}

SourceTimes times(int audio) {
    SourceTimes result;
    for (int i = 0; i < audio; ++i) {
        result.tokenSeconds.push_back(i * kSeconds);
    }
    result.secondsPerToken = kSeconds;
    result.durationSeconds = audio * kSeconds;
    return result;
}

}  // namespace

class TestTokensTab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void model_anyTokens_keepsTheRulesOfItemModels() {
        TokenTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTokens(tokens(10));
        QCOMPARE(model.rowCount(), kBefore + 21);
        QCOMPARE(model.index(kBefore + 2, TokenTableModel::SecondsColumn).data().toString(),
                 QStringLiteral("0.080 – 0.120 s"));
        QCOMPARE(model.index(kBefore + 12, TokenTableModel::SourceColumn).data().toString(),
                 QStringLiteral("2"));
        QCOMPARE(model.index(0, TokenTableModel::SecondsColumn).data().toString(), QString());
        QCOMPARE(model.rowOfSlot(1, 3), kBefore + 13);
        QCOMPARE(model.rowOfSlot(1, 99), -1);
        QCOMPARE(model.rowOfSlot(7, 0), -1);
        model.setTokens({});
        QCOMPARE(model.rowCount(), 0);
    }

    void pieces_withControlCharacters_areEscaped() {
        const QString piece =
            QStringLiteral("a%1%2%3 é").arg(QChar(0x240a), QChar(0x2409), QChar(0x2421));
        QCOMPARE(readablePiece(piece), QStringLiteral("a\\n\\t\\x7f é"));
    }

    void row_chosen_movesTheCursor() {
        CursorModel cursor;
        cursor.setSources({times(10), times(10)});
        TokensTab tab;
        tab.setCursorModel(&cursor);
        tab.setPrompt(tokens(10));
        auto* table = tab.findChild<QTableView*>(QStringLiteral("tokenTable"));
        table->selectRow(kBefore + 10 + 3);
        QVERIFY(cursor.isLocked());
        QCOMPARE(cursor.point().source, 1);
        QCOMPARE(cursor.token(), 3);
        // Text has no time: the cursor stays, the row is marked all the same.
        table->selectRow(2);
        QCOMPARE(cursor.token(), 3);
        QCOMPARE(tab.currentRow(), 2);
    }

    void cursor_movedElsewhere_selectsTheRow() {
        CursorModel cursor;
        cursor.setSources({times(500), times(500)});
        TokensTab tab;
        tab.resize(600, 300);
        tab.setCursorModel(&cursor);
        tab.setPrompt(tokens(500));
        tab.show();
        cursor.lock(1, 400 * kSeconds + 0.001);
        QCOMPARE(tab.currentRow(), kBefore + 500 + 400);
        auto* table = tab.findChild<QTableView*>(QStringLiteral("tokenTable"));
        QCOMPARE(table->currentIndex().row(), kBefore + 900);
        QVERIFY(table->viewport()->rect().intersects(table->visualRect(table->currentIndex())));
    }

    void strip_clicked_selectsAndLocks() {
        CursorModel cursor;
        cursor.setSources({times(10), times(10)});
        TokensTab tab;
        tab.resize(625, 300);
        tab.setCursorModel(&cursor);
        tab.setPrompt(tokens(10));
        tab.show();
        auto* strip = tab.findChild<TokenStrip*>(QStringLiteral("tokenStrip"));
        const double cell = strip->width() / static_cast<double>(kBefore + 21);
        QTest::mouseClick(strip, Qt::LeftButton, Qt::NoModifier,
                          QPoint(static_cast<int>((kBefore + 5.5) * cell), 30));
        QCOMPARE(tab.currentRow(), kBefore + 5);
        QCOMPARE(cursor.token(), 5);
        QTest::mouseClick(strip, Qt::LeftButton, Qt::ShiftModifier,
                          QPoint(static_cast<int>((kBefore + 8.5) * cell), 30));
        QCOMPARE(cursor.range().firstToken, 5);
        QCOMPARE(cursor.range().lastToken, 8);
        QTest::keyClick(strip, Qt::Key_Right);
        QCOMPARE(tab.currentRow(), kBefore + 9);
    }

    void strip_loneBoundary_isSeenAtEveryWidth() {
        TokenStrip strip;
        strip.resize(200, strip.sizeHint().height());
        std::vector<TokenValue> all(30'000);
        for (TokenValue& token : all) {
            token.tokenClass = TokenClass::Audio;
            token.source = 0;
            token.slotRow = 0;
        }
        all[12'345].tokenClass = TokenClass::Boundary;
        strip.setTokens(all);
        const QImage image = strip.grab().toImage();
        const QRgb wanted = tokenBrush(TokenClass::Boundary, 0, strip.palette()).color().rgb();
        int found = 0;
        for (int x = 0; x < image.width(); ++x) {
            found += image.pixel(x, image.height() - 6) == wanted ? 1 : 0;
        }
        QCOMPARE(found, 1);
    }

    void generated_isPutBehindThePrompt() {
        TokensTab tab;
        tab.setPrompt(tokens(10));
        std::vector<TokenValue> answer(5);
        for (TokenValue& token : answer) {
            token.tokenClass = TokenClass::Generated;
        }
        tab.setGenerated(answer);
        QCOMPARE(tab.tokenCount(), kBefore + 21 + 5);
        QVERIFY(tab.findChild<QLabel*>(QStringLiteral("tokenLegend"))
                    ->text()
                    .contains(QLatin1String("Generated&nbsp;5")));
        tab.setPrompt(tokens(10));
        QCOMPARE(tab.tokenCount(), kBefore + 21);
    }

    void empty_saysWhyAndOffersHelp() {
        TokensTab tab;
        QVERIFY(tab.isEmpty());
        QSignalSpy spy(&tab, &TokensTab::emptyActionRequested);
        tab.showEmpty(QStringLiteral("No model."), QStringLiteral("Open model…"));
        tab.show();
        auto* action = tab.findChild<QPushButton*>(QStringLiteral("tokensEmptyAction"));
        QVERIFY(action->isVisible());
        action->click();
        QCOMPARE(spy.count(), 1);
        tab.setPrompt(tokens(2));
        QVERIFY(!tab.isEmpty());
    }

    void thirtyThousandRows_areUsable() {
        CursorModel cursor;
        cursor.setSources({times(15'000), times(15'000)});
        TokensTab tab;
        tab.setCursorModel(&cursor);
        tab.resize(900, 600);
        tab.show();
        QElapsedTimer timer;
        timer.start();
        tab.setPrompt(tokens(15'000));
        tab.grab();
        const qint64 shown = timer.restart();
        for (int i = 0; i < 50; ++i) {
            cursor.lock(i % 2, (i * 293 % 15'000) * kSeconds + 0.001);
            QCoreApplication::processEvents();
        }
        const qint64 moved = timer.elapsed();
        qInfo("30,005 positions: shown in %lld ms, 50 jumps in %lld ms", shown, moved);
        QVERIFY(shown < 2'000);
        QVERIFY(moved < 5'000);
    }
};

QTEST_MAIN(TestTokensTab)
#include "tst_tokens_tab.moc"
