#include "widgets/embeddings/embedding_plot.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace earscope;

namespace {

constexpr double kSeconds = 0.04;

TensorValue tensor(int rows, int columns, float scale) {
    auto data = std::make_shared<std::vector<float>>();
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            data->push_back(scale * std::sin(0.1F * static_cast<float>(row * 3 + column * 7)));
        }
    }
    return {{rows, columns}, data};
}

SourceEmbeddings source(int rows) {
    SourceEmbeddings value;
    value.raw = tensor(rows, 8, 1);
    value.projected = tensor(rows, 12, 2);
    value.secondsPerToken = kSeconds;
    for (int i = 0; i < rows; ++i) {
        value.tokenSeconds.push_back(i * kSeconds);
    }
    return value;
}

EmbeddingsTab::Matrix matrix(const SourceEmbeddings& value, int index, EmbeddingKind::Type type) {
    return std::make_shared<const EmbeddingMatrix>(summarizeEmbedding(value, index, {type, 0}));
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

class TestEmbeddingsTab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void summary_ofATensor_hasNormsAndLimits() {
        SourceEmbeddings value = source(50);
        auto data = std::make_shared<std::vector<float>>(*value.raw.data);
        (*data)[10 * 8 + 3] = -400;  // one huge value
        value.raw.data = data;
        const EmbeddingMatrix summary = summarizeEmbedding(value, 2, {EmbeddingKind::Raw, 0});
        QCOMPARE(summary.source, 2);
        QCOMPARE(summary.tokens(), 50);
        QCOMPARE(summary.dimensions(), 8);
        double sum = 0;
        for (int i = 0; i < 8; ++i) {
            const auto x = static_cast<double>(summary.values.at(7, i));
            sum += x * x;
        }
        QCOMPARE(summary.norms[7], static_cast<float>(std::sqrt(sum)));
        QCOMPARE(summary.full.high, 400.0F);
        QCOMPARE(summary.full.low, -400.0F);
        QVERIFY(summary.robust.high < 2);
        QCOMPARE(summary.robust.low, -summary.robust.high);
        QVERIFY(summary.outsideRobust >= 1);
        QCOMPARE(summary.notFinite, 0);
    }

    void tokenAt_edges() {
        const EmbeddingMatrix summary =
            summarizeEmbedding(source(5), 0, {EmbeddingKind::Projected, 0});
        QCOMPARE(summary.tokenAt(-0.01), -1);
        QCOMPARE(summary.tokenAt(0), 0);
        QCOMPARE(summary.tokenAt(0.199), 4);
        QCOMPARE(summary.tokenAt(0.2), -1);
    }

    void kinds_offered_areThoseThatExist() {
        SourceEmbeddings value = source(5);
        QCOMPARE(embeddingKinds(value).size(), std::size_t{2});
        value.deepstackRaw = {tensor(5, 8, 1), tensor(5, 8, 1)};
        value.deepstackProjected = {tensor(5, 12, 1), tensor(5, 12, 1)};
        QCOMPARE(embeddingKinds(value).size(), std::size_t{6});
        QCOMPARE(&embeddingOf(value, {EmbeddingKind::DeepstackRaw, 1}), &value.deepstackRaw[1]);
    }

    void empty_offersToExtract() {
        EmbeddingsTab tab;
        QSignalSpy spy(&tab, &EmbeddingsTab::extractRequested);
        tab.showEmpty(QStringLiteral("Not extracted yet: 1,050 vectors × 3,584."), true);
        tab.setExtractReason({});
        tab.show();
        auto* button = tab.findChild<QPushButton*>(QStringLiteral("extractEmpty"));
        QVERIFY(button->isVisible());
        button->click();
        QCOMPARE(spy.count(), 1);
        tab.setExtractReason(QStringLiteral("Open a model first."));
        QVERIFY(!button->isEnabled());
        QCOMPARE(button->toolTip(), QStringLiteral("Open a model first."));
    }

    void choice_ofSourceAndKind_showsIt() {
        EmbeddingsTab tab;
        tab.resize(700, 400);
        tab.setSourceNames({QStringLiteral("a.wav"), QStringLiteral("b.wav")});
        const SourceEmbeddings first = source(50);
        const SourceEmbeddings second = source(30);
        tab.setMatrices(
            {matrix(first, 0, EmbeddingKind::Projected), matrix(first, 0, EmbeddingKind::Raw),
             matrix(second, 1, EmbeddingKind::Projected), matrix(second, 1, EmbeddingKind::Raw)});
        tab.show();
        auto* sources = tab.findChild<QComboBox*>(QStringLiteral("embeddingSource"));
        auto* kinds = tab.findChild<QComboBox*>(QStringLiteral("embeddingKind"));
        QCOMPARE(sources->count(), 2);
        QCOMPARE(sources->itemText(1), QStringLiteral("2: b.wav"));
        QCOMPARE(kinds->count(), 2);
        QCOMPARE(tab.plot()->matrix()->dimensions(), 12);
        kinds->setCurrentIndex(1);
        QCOMPARE(tab.plot()->matrix()->dimensions(), 8);
        sources->setCurrentIndex(1);
        QCOMPARE(tab.plot()->matrix()->source, 1);
        QCOMPARE(tab.plot()->matrix()->dimensions(), 8);
        QVERIFY(tab.findChild<QLabel*>(QStringLiteral("embeddingFacts"))
                    ->text()
                    .contains(QLatin1String("[30 tokens, 8 dimensions]")));
    }

    void limits_printed_matchTheBar() {
        EmbeddingsTab tab;
        const SourceEmbeddings value = source(50);
        tab.setMatrices({matrix(value, 0, EmbeddingKind::Projected)});
        auto* bar = tab.findChild<ColorBar*>(QStringLiteral("embeddingColorBar"));
        QCOMPARE(bar->limits(), tab.plot()->matrix()->robust);
        QVERIFY(tab.limitsText().contains(QStringLiteral("p0.5…p99.5")));
        tab.findChild<QComboBox*>(QStringLiteral("limitsMode"))->setCurrentIndex(1);
        QCOMPARE(bar->limits(), tab.plot()->matrix()->full);
        QVERIFY(tab.limitsText().contains(QLatin1String("largest absolute value")));
    }

    void cursor_isSharedBothWays() {
        CursorModel cursor;
        cursor.setSources({times(50), times(30)});
        EmbeddingsTab tab;
        tab.resize(700, 400);
        tab.setCursorModel(&cursor);
        tab.setMatrices({matrix(source(50), 0, EmbeddingKind::Projected),
                         matrix(source(30), 1, EmbeddingKind::Projected)});
        tab.show();
        EmbeddingPlot* plot = tab.plot();
        const QRect heat = plot->heatmapRect();
        QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier, heat.center());
        QVERIFY(cursor.isLocked());
        QCOMPARE(cursor.point().source, 0);
        QVERIFY(std::abs(cursor.point().seconds - 1.0) < 0.02);
        QVERIFY(plot->cursorText().contains(QLatin1String("Source 1, token")));
        // Locked in another view, its source comes to the front.
        cursor.lock(1, 0.5);
        QCOMPARE(plot->matrix()->source, 1);
        QVERIFY(plot->cursorText().startsWith(QLatin1String("Source 2, token 12")));
        QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(cursor.token(), 13);
        QTest::keyClick(plot, Qt::Key_Escape);
        QVERIFY(!cursor.isLocked());
    }

    void tooltip_namesTokenTimeDimensionAndValue() {
        EmbeddingsTab tab;
        tab.resize(700, 400);
        tab.setMatrices({matrix(source(50), 0, EmbeddingKind::Projected)});
        tab.show();
        EmbeddingPlot* plot = tab.plot();
        const QRect heat = plot->heatmapRect();
        const QPoint at(heat.left() + heat.width() * 101 / 500, heat.top() + heat.height() / 24);
        const QString text = plot->describe(at);
        QVERIFY2(text.startsWith(QStringLiteral("Source 1, token 10, 0.400 – 0.440 s")),
                 qPrintable(text));
        QVERIFY(text.contains(QLatin1String("Dimension 0: ")));
        QVERIFY(text.contains(QLatin1String("Norm ")));
        QVERIFY(!plot->describe(plot->normRect().center()).contains(QLatin1String("Dimension")));
        QVERIFY(plot->describe(QPoint(0, 0)).isEmpty());
    }

    void loneValue_isSeenInTheWholeView() {
        SourceEmbeddings value = source(4'000);
        auto data = std::make_shared<std::vector<float>>(4'000 * 12, 0.0F);
        (*data)[1'234 * 12 + 5] = 3;
        value.projected = {{4'000, 12}, data};
        EmbeddingPlot plot;
        plot.resize(400, 300);
        plot.setMatrix(matrix(value, 0, EmbeddingKind::Projected));
        plot.setLimits({-3, 3});
        const QImage image = plot.grab().toImage();
        const QRgb wanted = ColorMap::diverging(plot.palette()).color(3, -3, 3);
        const QRect heat = plot.heatmapRect();
        int found = 0;
        for (int x = heat.left(); x <= heat.right(); ++x) {
            found += image.pixel(x, heat.top() + heat.height() * 11 / 24) == wanted ? 1 : 0;
        }
        QCOMPARE(found, 1);
    }

    void zoom_wheel_keepsTheTimeUnderTheMouse() {
        EmbeddingPlot plot;
        plot.resize(500, 300);
        plot.setMatrix(matrix(source(500), 0, EmbeddingKind::Projected));
        plot.show();
        const QPoint at = plot.heatmapRect().center();
        const double before = plot.timeAxis().secondsAt(at.x() - plot.heatmapRect().left());
        QWheelEvent wheel(at, plot.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        QVERIFY(plot.timeAxis().span() < 15);
        QVERIFY(std::abs(plot.timeAxis().secondsAt(at.x() - plot.heatmapRect().left()) - before) <
                1e-6);
        plot.fit();
        QVERIFY(plot.timeAxis().isFitted());
    }

    void strange_tensors_areDrawn_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<float>("fill");
        QTest::newRow("one token") << 1 << 0.5F;
        QTest::newRow("constant") << 20 << 0.0F;
        QTest::newRow("no numbers") << 20 << std::nanf("");
        QTest::newRow("infinite") << 20 << INFINITY;
    }

    void strange_tensors_areDrawn() {
        QFETCH(int, rows);
        QFETCH(float, fill);
        SourceEmbeddings value = source(rows);
        value.projected = {
            {rows, 12},
            std::make_shared<std::vector<float>>(static_cast<std::size_t>(rows * 12), fill)};
        EmbeddingsTab tab;
        tab.resize(600, 400);
        tab.setMatrices({matrix(value, 0, EmbeddingKind::Projected)});
        tab.show();
        QVERIFY(!tab.grab().isNull());
        QVERIFY(!tab.plot()->describe(tab.plot()->heatmapRect().center()).isEmpty());
    }
};

QTEST_MAIN(TestEmbeddingsTab)
#include "tst_embeddings_tab.moc"
