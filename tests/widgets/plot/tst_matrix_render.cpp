#include "widgets/plot/color_map.h"

#include <QElapsedTimer>
#include <QtTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace earscope;

namespace {

constexpr ColorLimits kUnit{0, 1};
const float kNan = std::numeric_limits<float>::quiet_NaN();

TensorValue matrix(qint64 rows, qint64 columns, std::vector<float> values) {
    return {{rows, columns}, std::make_shared<const std::vector<float>>(std::move(values))};
}

TensorValue filled(qint64 rows, qint64 columns, float value) {
    return matrix(rows, columns,
                  std::vector<float>(static_cast<std::size_t>(rows * columns), value));
}

/// All cold but one column.
TensorValue hotColumn(qint64 rows, qint64 columns, qint64 hot, float value = 1) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns), 0.0F);
    for (qint64 r = 0; r < rows; ++r) {
        values[static_cast<std::size_t>(r * columns + hot)] = value;
    }
    return matrix(rows, columns, std::move(values));
}

/// Pixels of a line that have this colour.
std::vector<int> pixelsOf(const QImage& image, int y, QRgb color) {
    std::vector<int> found;
    for (int x = 0; x < image.width(); ++x) {
        if (image.pixel(x, y) == color) {
            found.push_back(x);
        }
    }
    return found;
}

QRgb hotColor(ColorMapId id = ColorMapId::Viridis) {
    return ColorMap::named(id).at(255);
}

}  // namespace

class TestMatrixRender : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void loneHotColumn_anyWidth_isOnePixelAtItsPlace_data() {
        QTest::addColumn<qint64>("columns");
        QTest::addColumn<qint64>("hot");
        QTest::addColumn<int>("width");
        for (const qint64 columns : {1'000, 7'500, 30'000, 40'000, 100'000}) {
            for (const qint64 hot : {qint64(0), columns / 3, columns - 1}) {
                for (const int width : {1, 37, 800, 1920}) {
                    QTest::addRow("%lld of %lld in %d pixels", hot, columns, width)
                        << columns << hot << width;
                }
            }
        }
    }
    void loneHotColumn_anyWidth_isOnePixelAtItsPlace() {
        QFETCH(qint64, columns);
        QFETCH(qint64, hot);
        QFETCH(int, width);
        const TensorValue values = hotColumn(3, columns, hot);
        MatrixRender render;
        render.size = QSize(width, 3);
        render.limits = kUnit;
        const MatrixPyramid pyramid(values, Reduction::Max);
        for (const QImage& image :
             {renderMatrix(values, render).image, renderMatrix(pyramid, render).image}) {
            for (int y = 0; y < 3; ++y) {
                const std::vector<int> found = pixelsOf(image, y, hotColor());
                if (columns >= width) {
                    QCOMPARE(found.size(), std::size_t(1));
                } else {
                    QVERIFY(!found.empty());  // blocks wider than a pixel
                }
                const double place =
                    (static_cast<double>(hot) + 0.5) / static_cast<double>(columns);
                QVERIFY(std::abs(found.front() + 0.5 - place * width) <= 2);
            }
        }
    }

    void loneHotColumn_zoomingIn_neverVanishes() {
        constexpr qint64 kColumns = 40'000;
        constexpr qint64 kHot = 33'331;
        const MatrixPyramid pyramid(hotColumn(4, kColumns, kHot), Reduction::Max);
        MatrixRender render;
        render.size = QSize(997, 4);
        render.limits = kUnit;
        for (double span = kColumns; span > 3; span *= 0.83) {
            for (const double share : {0.03, 0.5, 0.97}) {
                render.firstColumn = std::max(0.0, kHot - share * span);
                render.lastColumn = render.firstColumn + span;
                const QImage image = renderMatrix(pyramid, render).image;
                QVERIFY2(!pixelsOf(image, 0, hotColor()).empty(),
                         qPrintable(QStringLiteral("span %1 share %2").arg(span).arg(share)));
            }
        }
    }

    void maxAbs_negativeExtreme_keepsItsSign() {
        const TensorValue values = hotColumn(2, 50'000, 12'345, -1);
        MatrixRender render;
        render.size = QSize(640, 2);
        render.limits = {-1, 1};
        render.map = ColorMapId::DivergingLight;
        render.reduction = Reduction::MaxAbs;
        const QRgb blue = ColorMap::named(ColorMapId::DivergingLight).at(0);
        QCOMPARE(pixelsOf(renderMatrix(values, render).image, 0, blue).size(), std::size_t(1));
        const MatrixPyramid pyramid(values, Reduction::MaxAbs);
        QCOMPARE(pixelsOf(renderMatrix(pyramid, render).image, 1, blue).size(), std::size_t(1));
    }

    void loneHotRow_isSeenWhenRowsAreReduced() {
        std::vector<float> values(3'584 * 10, 0.0F);
        std::fill_n(values.begin() + 3'001 * 10, 10, 1.0F);
        MatrixRender render;
        render.size = QSize(10, 200);
        render.limits = kUnit;
        const QImage image = renderMatrix(matrix(3'584, 10, std::move(values)), render).image;
        int hot = 0;
        for (int y = 0; y < image.height(); ++y) {
            hot += image.pixel(5, y) == hotColor() ? 1 : 0;
        }
        QCOMPARE(hot, 1);
    }

    void nan_alone_staysVisibleAtEveryLevel() {
        for (const Reduction reduction : {Reduction::Max, Reduction::MaxAbs}) {
            std::vector<float> values(100'000, 5.0F);
            values[77'777] = kNan;
            const MatrixPyramid pyramid(matrix(1, 100'000, std::move(values)), reduction);
            MatrixRender render;
            render.size = QSize(300, 1);
            render.limits = {0, 10};
            const MatrixImage drawn = renderMatrix(pyramid, render);
            QCOMPARE(pixelsOf(drawn.image, 0, ColorMap::nanColor()).size(), std::size_t(1));
            QCOMPARE(drawn.nan, qint64(1));
        }
    }

    void clipped_belowAndAbove_areCounted() {
        MatrixRender render;
        render.size = QSize(4, 2);
        render.limits = kUnit;
        const MatrixImage drawn = renderMatrix(matrix(1, 4, {-1, 0, 1, 2}), render);
        QCOMPARE(drawn.below, qint64(2));  // the row is two pixels high
        QCOMPARE(drawn.above, qint64(2));
        QCOMPARE(drawn.nan, qint64(0));
    }

    void emptyConstantAndSingle_areDrawn() {
        MatrixRender render;
        render.size = QSize(8, 8);
        QVERIFY(renderMatrix(TensorValue{}, render).image.allGray());
        QCOMPARE(qAlpha(renderMatrix(MatrixPyramid(), render).image.pixel(0, 0)), 0);
        const TensorValue single = filled(1, 1, 3);
        render.limits = fullLimits(single);
        const QImage image = renderMatrix(MatrixPyramid(single, Reduction::Max), render).image;
        QCOMPARE(image.pixel(0, 0), image.pixel(7, 7));
        QCOMPARE(
            image.pixel(0, 0),
            ColorMap::named(ColorMapId::Viridis).color(3, render.limits.low, render.limits.high));
        render.size = QSize(0, 5);
        QVERIFY(renderMatrix(single, render).image.isNull());
    }

    void rangeBeyondTheMatrix_isTransparent() {
        MatrixRender render;
        render.size = QSize(30, 1);
        render.firstColumn = -10;
        render.lastColumn = 20;
        render.limits = kUnit;
        const QImage image = renderMatrix(filled(1, 10, 1), render).image;
        QCOMPARE(qAlpha(image.pixel(9, 0)), 0);
        QCOMPARE(image.pixel(10, 0), hotColor());
        QCOMPARE(image.pixel(19, 0), hotColor());
        QCOMPARE(qAlpha(image.pixel(20, 0)), 0);
    }

    void firstRowAtBottom_turnsTheImage() {
        MatrixRender render;
        render.size = QSize(1, 2);
        render.limits = kUnit;
        const TensorValue values = matrix(2, 1, {1, 0});
        QCOMPARE(renderMatrix(values, render).image.pixel(0, 0), hotColor());
        render.firstRowAtBottom = true;
        QCOMPARE(renderMatrix(values, render).image.pixel(0, 1), hotColor());
    }

    void zoomedIn_cellsAreBlocksWithSharpEdges() {
        MatrixRender render;
        render.size = QSize(100, 1);
        render.limits = kUnit;
        render.firstColumn = 10;
        render.lastColumn = 20;
        const QImage image = renderMatrix(hotColumn(1, 1'000, 13), render).image;
        const std::vector<int> found = pixelsOf(image, 0, hotColor());
        QCOMPARE(found.size(), std::size_t(10));
        QCOMPARE(found.front(), 30);
    }

    void transposed_largeAndSmall_exchangesBoth() {
        std::vector<float> values(70 * 45);
        std::iota(values.begin(), values.end(), 0.0F);
        const TensorValue turned = transposed(matrix(70, 45, values));
        QCOMPARE(turned.rows(), qint64(45));
        QCOMPARE(turned.columns(), qint64(70));
        for (qint64 r = 0; r < 70; ++r) {
            for (qint64 c = 0; c < 45; ++c) {
                QCOMPARE(turned.at(c, r), values[static_cast<std::size_t>(r * 45 + c)]);
            }
        }
    }

    void pyramid_memoryAndCost_stayBounded() {
        const MatrixPyramid pyramid(filled(128, 120'000, 0.5F), Reduction::Max);
        std::size_t added = 0;
        for (int level = 1; level <= pyramid.levelFor(1e9); ++level) {
            added += pyramid.level(level).data->size();
            QVERIFY(pyramid.level(level).columns() * MatrixPyramid::columnsPerCell(level) >=
                    pyramid.columns());
        }
        // One 8th and what follows from quarters of it.
        QVERIFY(added * sizeof(float) < 11'000'000);
        MatrixRender render;
        render.size = QSize(1'600, 128);
        render.limits = kUnit;
        const auto fastest = [&](double columns) {
            render.firstColumn = 0;
            render.lastColumn = columns;
            qint64 best = std::numeric_limits<qint64>::max();
            for (int i = 0; i < 7; ++i) {
                QElapsedTimer timer;
                timer.start();
                renderMatrix(pyramid, render);
                best = std::min(best, timer.nsecsElapsed());
            }
            return static_cast<double>(best);
        };
        const double one_minute = fastest(6'000);
        const double twenty_minutes = fastest(120'000);
        qInfo("whole 1 min %.2f ms, whole 20 min %.2f ms", one_minute / 1e6, twenty_minutes / 1e6);
        // A pixel reads 3.75 columns at 1 min and 75/32 cells at 20 min; without the pyramid the
        // ratio would be near 20.
        QVERIFY(twenty_minutes < 2 * one_minute);
    }

    void hatchClipped_beyondTheLimits_marksThoseAndKeepsALoneColumn() {
        const TensorValue values = hotColumn(8, 40'000, 12'345, 5);
        const MatrixPyramid pyramid(values, Reduction::MaxAbs);
        MatrixRender render;
        render.size = QSize(800, 64);
        render.limits = kUnit;
        const MatrixImage plain = renderMatrix(pyramid, render);
        render.hatchClipped = true;
        const MatrixImage marked = renderMatrix(pyramid, render);
        QCOMPARE(marked.above, plain.above);
        QCOMPARE(marked.above, qint64(64));
        int kept = 0;
        int differing = 0;
        for (int y = 0; y < 64; ++y) {
            kept += static_cast<int>(pixelsOf(marked.image, y, hotColor()).size());
            for (int x = 0; x < 800; ++x) {
                differing += plain.image.pixel(x, y) != marked.image.pixel(x, y) ? 1 : 0;
            }
        }
        QCOMPARE(differing, 16);
        QCOMPARE(kept, 48);
    }
};

QTEST_GUILESS_MAIN(TestMatrixRender)
#include "tst_matrix_render.moc"
