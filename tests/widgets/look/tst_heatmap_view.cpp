#include "tests/widgets/look/look_values.h"
#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/matrix_table_model.h"
#include "widgets/plot/color_bar.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace earscope;

namespace {

HeatmapPointer map(TensorValue values, ValueScale scale, TokenList tokens = nullptr) {
    Heatmap map;
    map.values = std::move(values);
    map.scale = scale;
    map.valueName = QStringLiteral("norm");
    map.rows.title = QStringLiteral("hidden state");
    map.columns.title = QStringLiteral("position");
    map.columns.tokens = std::move(tokens);
    return finished(std::move(map));
}

TokenList tokens(int audio) {
    return std::make_shared<const std::vector<TokenValue>>(made::promptTokens(audio));
}

/// Columns of pixels that hold this colour somewhere.
int columnsWith(const QImage& image, QRgb color) {
    int found = 0;
    for (int x = 0; x < image.width(); ++x) {
        bool here = false;
        for (int y = 0; y < image.height(); ++y) {
            here = here || image.pixel(x, y) == color;
        }
        found += here ? 1 : 0;
    }
    return found;
}

}  // namespace

class TestHeatmapView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void loneHotColumn_among40000_staysVisible_data() {
        QTest::addColumn<int>("scale");
        QTest::addColumn<float>("hot");
        QTest::addColumn<int>("index");
        QTest::addRow("positive") << int(ValueScale::Positive) << 1.0F << 255;
        QTest::addRow("signed, high") << int(ValueScale::Signed) << 1.0F << 255;
        QTest::addRow("signed, low") << int(ValueScale::Signed) << -1.0F << 0;
        QTest::addRow("share") << int(ValueScale::Share) << 1.0F << 255;
    }
    void loneHotColumn_among40000_staysVisible() {
        QFETCH(int, scale);
        QFETCH(float, hot);
        QFETCH(int, index);
        constexpr qint64 kHot = 31'415;
        HeatmapView view;
        view.resize(700, 200);
        view.setMap(
            map(made::tensor(9, 40'000, [hot](qint64, qint64 c) { return c == kHot ? hot : 0.0F; }),
                static_cast<ValueScale>(scale)));
        view.setLimits(view.map()->full);
        const bool diverging = view.map()->isDiverging();
        const ColorMap& colors =
            diverging ? ColorMap::diverging(view.palette()) : ColorMap::named(ColorMapId::Viridis);
        QCOMPARE(columnsWith(view.image(), colors.at(index)), 1);
        // With robust limits it lies beyond, is hatched and counted, and still there.
        view.setLimits({diverging ? -0.1F : 0.0F, 0.1F});
        QCOMPARE(columnsWith(view.image(), colors.at(index)), 1);
        QCOMPARE(view.map()->outsideRobust, qint64(9));
    }

    void nan_isDrawnInItsOwnColourAndCounted() {
        HeatmapPanel panel;
        panel.resize(500, 300);
        panel.setMap(map(made::tensor(4, 100,
                                      [](qint64 r, qint64 c) {
                                          return r == 1 && c == 70 ? std::nanf("") : 1.0F;
                                      }),
                         ValueScale::Signed));
        QVERIFY(columnsWith(panel.view()->image(), ColorMap::nanColor()) >= 1);
        QVERIFY(panel.limitsText().contains(QStringLiteral("1 values are not finite")));
    }

    void signedLimits_areSymmetricAboutZero() {
        const HeatmapPointer made =
            map(made::tensor(2, 50, [](qint64, qint64 c) { return c == 0 ? -1.0F : 8.0F; }),
                ValueScale::Signed);
        QCOMPARE(made->full.low, -8.0F);
        QCOMPARE(made->full.high, 8.0F);
        QCOMPARE(made->robust.low, -made->robust.high);
    }

    void limitsText_saysModeAndCount() {
        HeatmapPanel panel;
        panel.setMap(
            map(made::tensor(2, 2'000, [](qint64, qint64 c) { return c == 7 ? 100.0F : 1.0F; }),
                ValueScale::Positive));
        QVERIFY(panel.limitsText().contains(QStringLiteral("p0.5…p99.5")));
        QVERIFY(panel.limitsText().contains(QStringLiteral("2 of 4,000 cells lie beyond")));
        auto* mode = panel.findChild<QComboBox*>(QStringLiteral("heatmapLimitsMode"));
        mode->setCurrentIndex(1);
        QVERIFY(panel.limitsText().contains(QStringLiteral("no cell lies beyond")));
        QCOMPARE(panel.findChild<ColorBar*>()->limits().high, 100.0F);
    }

    void click_onAnAudioColumn_locksTheCursorAndTheCursorMovesTheCell() {
        CursorModel cursor;
        made::setTimes(cursor, 100);
        HeatmapView view;
        view.resize(600, 200);
        view.setCursorModel(&cursor);
        view.setMap(map(made::layers(100).norm, ValueScale::Positive, tokens(100)));
        QSignalSpy moved(&view, &HeatmapView::currentChanged);
        const QRect rect = view.plotRect();
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          QPoint(rect.left() + rect.width() / 2, rect.center().y()));
        QCOMPARE(view.currentColumn(), qint64(52));
        QVERIFY(cursor.isLocked());
        QCOMPARE(cursor.token(), 49);
        QCOMPARE(moved.count(), 1);

        cursor.lockToken(0, 12);
        QCOMPARE(view.currentColumn(), qint64(15));
        QCOMPARE(view.currentRow(), qint64(2));
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("norm")));
    }

    void arrowKeys_moveTheCell_clampedAndInView() {
        HeatmapView view;
        view.resize(600, 200);
        Heatmap layers;
        layers.values = made::tensor(5, 300, [](qint64 r, qint64) { return float(r); });
        layers.firstRowAtBottom = true;
        view.setMap(finished(std::move(layers)));
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.currentColumn(), qint64(0));
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.currentColumn(), qint64(0));
        QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(view.currentRow(), qint64(1));
        view.setVisibleColumns(0, 20);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.currentColumn(), qint64(299));
        QCOMPARE(view.lastColumn(), 300.0);
        QTest::keyClick(&view, Qt::Key_F);
        QCOMPARE(view.firstColumn(), 0.0);
    }

    void table_isTheTwinOfTheMap() {
        MatrixTableModel model;
        QAbstractItemModelTester tester(&model);
        const HeatmapPointer shown = map(made::layers(20).norm, ValueScale::Positive, tokens(20));
        model.setMap(shown);
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.columnCount(), 24);
        QCOMPARE(model.data(model.index(2, 10)).toString(), QStringLiteral("3.1"));
        QVERIFY(model.headerData(10, Qt::Horizontal).toString().contains(QStringLiteral("0.28 s")));
    }

    void table_currentCell_movesMapAndCursor() {
        CursorModel cursor;
        made::setTimes(cursor, 20);
        HeatmapPanel panel;
        panel.setCursorModel(&cursor);
        panel.setMap(map(made::layers(20).norm, ValueScale::Positive, tokens(20)));
        panel.showTable(true);
        panel.table()->setCurrentIndex(panel.table()->model()->index(3, 8));
        QCOMPARE(panel.view()->currentColumn(), qint64(8));
        QCOMPARE(cursor.token(), 5);
        panel.view()->setCurrent(1, 4);
        QCOMPARE(panel.table()->currentIndex().column(), 4);
    }
};

QTEST_MAIN(TestHeatmapView)
#include "tst_heatmap_view.moc"
