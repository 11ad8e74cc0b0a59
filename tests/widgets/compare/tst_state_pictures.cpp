#include "widgets/compare/state_pictures.h"
#include "widgets/compare/states_view.h"
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/plot/picture_menu.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace earscope;

namespace {

TensorValue tensor(qint64 rows, qint64 columns, float scale) {
    std::vector<float> values;
    for (qint64 i = 0; i < rows * columns; ++i) {
        values.push_back(scale * static_cast<float>(i % 7 - 3));
    }
    return {{rows, columns}, std::make_shared<const std::vector<float>>(std::move(values))};
}

RunStates states(qint64 tokens, qint64 width, float scale, std::vector<int> layers) {
    RunStates made;
    SourceEmbeddings source;
    source.projected = tensor(tokens, width, scale);
    source.raw = tensor(tokens, 5, scale);
    source.secondsPerToken = 0.04;
    for (qint64 i = 0; i < tokens; ++i) {
        source.tokenSeconds.push_back(0.04 * static_cast<double>(i));
    }
    made.sources = {source};
    made.layers = std::move(layers);
    made.hidden.resize(1);
    for (const int layer : made.layers) {
        made.hidden[0].push_back(tensor(tokens, width, scale + static_cast<float>(layer)));
    }
    return made;
}

const PictureKey kProjected{0, {EmbeddingKind::Projected, 0}, -1};

}  // namespace

class TestStatePictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void keys_ofTwoRuns_areTheirUnion() {
        RunStates moss = states(10, 8, 1, {0, 2});
        moss.sources[0].deepstackProjected = {tensor(10, 8, 1)};
        const auto keys = pictureKeys(moss, states(10, 8, 1, {0, 4}));
        QStringList names;
        for (const PictureKey& key : keys) {
            names << pictureName(key);
        }
        QCOMPARE(
            names,
            (QStringList{QStringLiteral("Projected"), QStringLiteral("Raw"),
                         QStringLiteral("DeepStack 0, projected"), QStringLiteral("Hidden state 0"),
                         QStringLiteral("Hidden state 2"), QStringLiteral("Hidden state 4")}));
    }

    void picture_sameShapes_hasADifferenceAndOneScale() {
        const StatePicture picture =
            makePicture(states(10, 8, 1, {}), states(10, 8, 2, {}), kProjected);
        QVERIFY(picture.difference);
        QCOMPARE(picture.full.high, 6.0F);
        QCOMPARE(picture.full.low, -6.0F);
        QCOMPARE(picture.largest, 3.0);
        QCOMPARE(picture.difference->values.at(0, 0), 3.0F);  // -3 - (-6)
        QVERIFY(picture.reason.isEmpty());
    }

    void picture_otherShapes_saysWhyThereIsNoDifference() {
        const StatePicture picture =
            makePicture(states(10, 8, 1, {}), states(5, 16, 1, {}), kProjected);
        QVERIFY(!picture.difference);
        QVERIFY(picture.a && picture.b);
        QCOMPARE(picture.reason,
                 QStringLiteral("A−B cannot be drawn: A has 10 tokens × 8, B has 5 tokens × 16."));
    }

    void picture_inOneRunOnly_saysSo() {
        const StatePicture picture =
            makePicture(states(10, 8, 1, {3}), states(10, 8, 1, {}), {0, {}, 3});
        QVERIFY(picture.a && !picture.b && !picture.difference);
        QVERIFY(picture.reason.contains(QLatin1String("B has no such tensor")));
    }

    void view_givenStates_asksForPicturesAndShowsThem() {
        StatesView view;
        view.resize(900, 400);
        view.show();
        QSignalSpy compute(&view, &StatesView::computeRequested);
        view.showEmpty(QStringLiteral("nothing"), true);
        view.findChild<QPushButton*>(QStringLiteral("computeStates"))->click();
        QCOMPARE(compute.count(), 1);

        const RunStates a = states(10, 8, 1, {0});
        const RunStates b = states(10, 8, 2, {0});
        std::vector<PictureKey> asked;
        connect(&view, &StatesView::pictureRequested, this, [&](const PictureKey& key) {
            asked.push_back(key);
            view.setPicture(std::make_shared<const StatePicture>(makePicture(a, b, key)));
        });
        view.setKeys(pictureKeys(a, b));
        QCOMPARE(asked.size(), std::size_t{1});
        QVERIFY(asked.front() == kProjected);
        QVERIFY(view.plot(2)->isVisible());
        view.choose({0, {}, 0});
        QVERIFY(asked.back() == (PictureKey{0, {}, 0}));
        // One zoom for all three.
        view.plot(0)->zoomIn();
        QCOMPARE(view.plot(2)->timeAxis().span(), view.plot(0)->timeAxis().span());

        view.setPicture(
            std::make_shared<const StatePicture>(makePicture(a, states(4, 8, 1, {}), kProjected)));
        QVERIFY(!view.plot(2)->isVisible());
        auto* reason = view.findChild<QLabel*>(QStringLiteral("stateReason2"));
        QVERIFY(reason->isVisible() && reason->text().contains(QLatin1String("B has 4 tokens")));
    }

    void picture_savedToAFile_isALabelledPng() {
        QLabel widget(QStringLiteral("content"));
        widget.resize(200, 100);
        const QImage image = labelledPicture(widget, QStringLiteral("What it shows"), 2);
        QCOMPARE(image.width(), 400);
        QVERIFY(image.height() > 200);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.png"));
        QVERIFY(savePicture(image, file).isEmpty());
        QCOMPARE(QImage(file).size(), image.size());
        QVERIFY(!savePicture(image, folder.filePath(QStringLiteral("no/such/a.png"))).isEmpty());
    }
};

QTEST_MAIN(TestStatePictures)
#include "tst_state_pictures.moc"
