#include "tests/widgets/look/look_values.h"
#include "widgets/look/layer_views.h"
#include "widgets/look/number_list.h"
#include "widgets/look/pca.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace earscope;

namespace {

double dotOf(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

}  // namespace

class TestLayerViews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pca_ofAKnownPlane_findsItsAxesSharesAndSigns() {
        // 5 along e2 and -3 along e7, around a mean of 100; a little of a third direction.
        constexpr qint64 kRows = 400;
        std::vector<double> a;
        std::vector<double> b;
        const TensorValue values = made::tensor(kRows, 12, [&](qint64 r, qint64 d) {
            const double x = std::sin(0.9 * static_cast<double>(r));
            const double y = std::cos(1.7 * static_cast<double>(r));
            const double z = std::sin(2.3 * static_cast<double>(r));
            return static_cast<float>(100 + (d == 2 ? 5 * x : 0) + (d == 7 ? -3 * y : 0) +
                                      (d == 11 ? 0.1 * z : 0));
        });
        const PrincipalPlane plane = principalPlane(values);
        QCOMPARE(plane.points.size(), std::size_t(kRows));
        // The three series are uncorrelated up to the ends of 400 samples.
        QVERIFY(plane.directions[0][2] > 0.999);
        QVERIFY(plane.directions[1][7] > 0.999);
        QVERIFY(std::abs(plane.share[0] - 25.0 / 34.0) < 0.01);
        QVERIFY(std::abs(plane.share[1] - 9.0 / 34.0) < 0.01);
        // Along e7 the values are -3 y, and its loading is positive.
        QVERIFY(std::abs(plane.points[10][1] + 3 * std::cos(17.0)) < 0.1);
    }

    void pca_directions_areOrthonormalAndBeatEveryOtherDirection() {
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        const TensorValue values = made::tensor(
            60, 200, [&](qint64, qint64 d) { return normal(random) * (d < 4 ? 3.0F : 1.0F); });
        const PrincipalPlane plane = principalPlane(values);
        QVERIFY(std::abs(dotOf(plane.directions[0], plane.directions[0]) - 1) < 1e-9);
        QVERIFY(std::abs(dotOf(plane.directions[0], plane.directions[1])) < 1e-9);
        // X^T X v = lambda v: what the direction gives back is itself.
        std::vector<double> mean(200, 0);
        for (qint64 r = 0; r < 60; ++r) {
            for (qint64 d = 0; d < 200; ++d) {
                mean[static_cast<std::size_t>(d)] += static_cast<double>(values.at(r, d)) / 60;
            }
        }
        for (std::size_t k = 0; k < 2; ++k) {
            std::vector<double> back(200, 0);
            double sum = 0;
            for (qint64 r = 0; r < 60; ++r) {
                const double score = plane.points[static_cast<std::size_t>(r)][k];
                sum += score * score;
                for (std::size_t d = 0; d < 200; ++d) {
                    back[d] += score * (static_cast<double>(values.at(r, static_cast<qint64>(d))) -
                                        mean[d]);
                }
            }
            for (std::size_t d = 0; d < 200; ++d) {
                // The values stop changing at 1e-9 of themselves, so the directions are good to
                // about the root of it.
                QVERIFY(std::abs(back[d] - sum * plane.directions[k][d]) < 1e-3 * sum);
            }
        }
    }

    void pca_repeats_andSurvivesFewRowsAndNan() {
        const TensorValue values =
            made::tensor(2, 5, [](qint64 r, qint64 d) { return d == 4 ? float(2 * r) : 1.0F; });
        const PrincipalPlane plane = principalPlane(values);
        QVERIFY(std::abs(plane.points[0][0] + 1) < 1e-6);
        QVERIFY(std::abs(plane.points[1][0] - 1) < 1e-6);
        QVERIFY(std::abs(plane.points[0][1]) < 1e-6);
        const TensorValue broken = made::tensor(
            5, 3, [](qint64 r, qint64 d) { return r == 2 ? std::nanf("") : float(r * d); });
        for (const auto& point : principalPlane(broken).points) {
            QVERIFY(std::isfinite(point[0]) && std::isfinite(point[1]));
        }
        QVERIFY(principalPlane({}).points.empty());
    }

    void statisticMaps_haveOneRowPerHiddenState() {
        const LayersPointer data = layersData(made::layers(30), {});
        const LayerView norm = makeLayerView(data, {LayerViewKind::Norm});
        QCOMPARE(norm.map->values.rows(), qint64(5));
        QVERIFY(!norm.map->isDiverging());
        const LayerView cosine = makeLayerView(data, {LayerViewKind::CosineToBefore});
        QVERIFY(cosine.map->isDiverging());
        QCOMPARE(cosine.map->robust, (ColorLimits{-1, 1}));
    }

    void pinnedCosine_showsKeptStatesOnly_saysSo_andIsOneAtThePin() {
        const LayersPointer data = layersData(made::layers(30), {});
        LayerViewRequest request{LayerViewKind::CosineToPinned};
        QVERIFY(!makeLayerView(data, request).problem.isEmpty());
        request.pinned = 7;
        const LayerView view = makeLayerView(data, request);
        QCOMPARE(view.map->values.rows(), qint64(3));
        QCOMPARE(view.map->rows.numberOf(2), qint64(4));
        QVERIFY(view.map->about.contains(QStringLiteral("3 of 5")));
        for (qint64 row = 0; row < 3; ++row) {
            QVERIFY(std::abs(view.map->values.at(row, 7) - 1) < 1e-5F);
        }
    }

    void dimensions_areTransposed_similarityIsSymmetricWithOnes() {
        const LayersPointer data = layersData(made::layers(30), {});
        const LayerView dimensions = makeLayerView(data, {LayerViewKind::Dimensions, 1});
        QCOMPARE(dimensions.map->values.shape, (std::vector<qint64>{6, 34}));
        QCOMPARE(dimensions.map->values.at(3, 9), data->states[1].values.at(9, 3));
        const LayerView similar = makeLayerView(data, {LayerViewKind::Similarity, 1});
        const TensorValue& cosine = similar.map->values;
        QCOMPARE(cosine.rows(), qint64(30));
        QVERIFY(std::abs(cosine.at(4, 4) - 1) < 1e-5F);
        QCOMPARE(cosine.at(4, 20), cosine.at(20, 4));
        QCOMPARE(similar.map->rows.numberOf(0), qint64(3));
    }

    void similarity_ofALongSource_showsAPartAroundTheCursorAndSaysSo() {
        const LayersPointer data = layersData(made::layers(3'000), {});
        LayerViewRequest request{LayerViewKind::Similarity};
        request.around = 2'900;
        const LayerView view = makeLayerView(data, request);
        QCOMPARE(view.map->values.rows(), qint64(kMostSimilar));
        QVERIFY(view.map->about.contains(QStringLiteral("952 to 2,999 of 3,000")));
        QCOMPARE(view.map->rows.indexOfSlot(0, 2'999), kMostSimilar - 1);
    }

    void histogram_countsEveryValueOnce() {
        const Histogram histogram = histogramOf(made::tensor(10, 10, [](qint64 r, qint64 c) {
            return r == 0 && c == 0 ? std::nanf("") : float(r * 10 + c);
        }));
        QCOMPARE(histogram.notFinite, qint64(1));
        QCOMPARE(std::accumulate(histogram.counts.begin(), histogram.counts.end(), qint64(0)),
                 qint64(99));
        QCOMPARE(histogram.counts.back(), qint64(1));
    }

    void largest_isSortedByMagnitude_andSaysWhere() {
        const std::vector<LargeDimension> largest =
            largestDimensions(made::layers(30).states[0], 2);
        QCOMPARE(largest.size(), std::size_t(2));
        QCOMPARE(largest[0].dimension, 3);
        QCOMPARE(largest[0].row, 9);
        QVERIFY(largest[0].value < -48);
    }

    void nearest_isTheMostAlike_withoutItself() {
        const TensorValue values = made::tensor(4, 2, [](qint64 r, qint64 d) {
            const double angle = std::array<double, 4>{0, 1.5, 0.1, 3}[static_cast<std::size_t>(r)];
            return static_cast<float>(static_cast<double>(r + 1) *
                                      (d == 0 ? std::cos(angle) : std::sin(angle)));
        });
        const std::vector<Neighbour> nearest = nearestRows(values, 0, {0, 1, 2, 3});
        QCOMPARE(nearest.size(), std::size_t(3));
        QCOMPARE(nearest[0].row, 2);
        QVERIFY(std::abs(nearest[0].cosine - std::cos(0.1)) < 1e-6);
        QCOMPARE(nearest[2].row, 3);
    }

    void names_sayWhichStateItIs() {
        const LayersPointer data = layersData(made::layers(5), {});
        QVERIFY(data->states[0].name.contains(QStringLiteral("decoder input")));
        QVERIFY(data->states[1].name.contains(QStringLiteral("output of block 1")));
        QVERIFY(data->states[2].name.contains(QStringLiteral("after the final norm")));
    }

    void noKeptLayer_saysWhatToDo() {
        LayersValue value = made::layers(5);
        value.layers.clear();
        value.states.clear();
        const LayersPointer data = layersData(value, {});
        QVERIFY(makeLayerView(data, {LayerViewKind::Norm}).problem.isEmpty());
        for (const LayerViewKind kind : {LayerViewKind::Dimensions, LayerViewKind::Scatter}) {
            QVERIFY(makeLayerView(data, {kind}).problem.contains(QStringLiteral("Keep whole")));
        }
    }

    void numbers_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("expected");
        QTest::addRow("one") << QStringLiteral("3") << QList<int>{3};
        QTest::addRow("range") << QStringLiteral("1-3") << QList<int>{1, 2, 3};
        QTest::addRow("list") << QStringLiteral("4, 0,1 - 2") << QList<int>{4, 0, 1, 2};
        QTest::addRow("from the end") << QStringLiteral("-1, 4") << QList<int>{4};
        QTest::addRow("all") << QStringLiteral(" All ") << QList<int>{0, 1, 2, 3, 4};
        for (const char* text : {"", "5", "-6", "3-1", "x", "1;2", "0-9999999"}) {
            QTest::addRow("refused: %s", text) << QString::fromLatin1(text) << QList<int>{};
        }
    }
    void numbers() {
        QFETCH(QString, text);
        QFETCH(QList<int>, expected);
        const NumberList list = readNumbers(text, 5, QStringLiteral("layer"));
        QCOMPARE(QList<int>(list.numbers.begin(), list.numbers.end()), expected);
        QCOMPARE(list.problem.isEmpty(), !expected.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestLayerViews)
#include "tst_layer_views.moc"
