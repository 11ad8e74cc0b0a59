#include "widgets/model/display_text.h"
#include "widgets/model/model_info_view.h"
#include "widgets/model/model_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace earscope;

namespace {

template <typename T>
T* part(QWidget& widget, const char* name) {
    return widget.findChild<T*>(QString::fromLatin1(name));
}

ModelValue model(bool untrained) {
    ModelValue value;
    value.name = QStringLiteral("some/model @ 1234567");
    value.folder = QStringLiteral("/models/some");
    value.family = QStringLiteral("Music Flamingo");
    value.device = QStringLiteral("cpu");
    value.dtype = QStringLiteral("float32");
    value.attention = QStringLiteral("sdpa");
    value.parameters = 7'615'616'512;
    value.weightBytes = 15'231'233'024;
    value.layers = 28;
    value.hiddenSize = 3584;
    value.audioWidth = 1280;
    value.contextLength = 32768;
    value.untrained = untrained;
    value.card =
        QStringLiteral("---\nlicense: other\nlicense_name: example-licence\n---\n# Card\n");
    value.modules = {{QString(), QStringLiteral("Model"), 10},
                     {QStringLiteral("model"), QStringLiteral("Inner"), 10},
                     {QStringLiteral("model.a"), QStringLiteral("Linear"), 10}};
    return value;
}

}  // namespace

class TestModelPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void empty_offersThreeWays() {
        ModelPanel panel;
        QSignalSpy open(&panel, &ModelPanel::openRequested);
        QSignalSpy demo(&panel, &ModelPanel::demoRequested);
        QSignalSpy chosen(&panel, &ModelPanel::snapshotChosen);
        panel.setDemosAvailable(true, true);
        panel.show();
        QVERIFY(part<QLabel>(panel, "modelChoiceText")->text().contains(QLatin1String("No model")));
        QVERIFY(!part<QToolButton>(panel, "cachedSnapshots")->isEnabled());
        panel.setCachedSnapshots(
            {QStringLiteral("/c/hub/models--nvidia--music-flamingo/snapshots/"
                            "0123456789abcdef0123456789abcdef01234567")});
        auto* cached = part<QToolButton>(panel, "cachedSnapshots");
        QVERIFY(cached->isEnabled());
        QCOMPARE(cached->menu()->actions().first()->text(),
                 QStringLiteral("nvidia/music-flamingo @ 0123456"));
        cached->menu()->actions().first()->trigger();
        QCOMPARE(chosen.count(), 1);
        part<QPushButton>(panel, "openFolder")->click();
        part<QPushButton>(panel, "useDemo")->click();
        QCOMPARE(open.count(), 1);
        QCOMPARE(demo.count(), 1);
    }

    void demo_missing_isDisabledWithAReason() {
        ModelPanel panel;
        panel.setDemosAvailable(false, false);
        auto* demo = part<QPushButton>(panel, "useDemo");
        QVERIFY(!demo->isEnabled());
        QVERIFY(!demo->toolTip().isEmpty());
    }

    void options_defaults_areAutoAndFloat32() {
        ModelPanel panel;
        QCOMPARE(panel.device(), QStringLiteral("auto"));
        QCOMPARE(panel.dtype(), QStringLiteral("float32"));
        QCOMPARE(panel.attention(), QStringLiteral("sdpa"));
        panel.setDevices({QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda:0")});
        panel.setLoadOptions(QStringLiteral("cuda:0"), QStringLiteral("bfloat16"),
                             QStringLiteral("eager"), QStringLiteral("independent"));
        QCOMPARE(panel.device(), QStringLiteral("cuda:0"));
        // A device that is gone later falls back to automatic.
        panel.setDevices({QStringLiteral("cpu")});
        QCOMPARE(panel.device(), QStringLiteral("auto"));
        QCOMPARE(panel.dtype(), QStringLiteral("bfloat16"));
        QCOMPARE(panel.attention(), QStringLiteral("eager"));
    }

    void loading_showsBytesAndCancels() {
        ModelPanel panel;
        QSignalSpy cancel(&panel, &ModelPanel::cancelRequested);
        panel.showLoading(QStringLiteral("/models/some"));
        QVERIFY(panel.isLoading());
        panel.setProgress({Stage::LoadWeights, 500'000'000, 2'000'000'000});
        QCOMPARE(part<QLabel>(panel, "loadingText")->text(),
                 QStringLiteral("Reading weights: 500 MB of 2.00 GB"));
        auto* bar = part<QProgressBar>(panel, "loadingBar");
        QCOMPARE(bar->value() * 4, bar->maximum());
        part<QPushButton>(panel, "cancelLoading")->click();
        QCOMPARE(cancel.count(), 1);
        // Late progress does not hide that it is stopping.
        panel.setProgress({Stage::LoadWeights, 600'000'000, 2'000'000'000});
        QVERIFY(!part<QLabel>(panel, "loadingText")->text().contains(QLatin1String("600")));
        panel.showCancelled();
        QVERIFY(!panel.isLoading());
    }

    void failure_showsTitleAndDetail_keepsTheOldModelReachable() {
        ModelPanel panel;
        panel.showModel(model(false));
        panel.showLoading(QStringLiteral("/other"));
        panel.showFailure({FailureKind::Snapshot, QStringLiteral("tensor a.b: missing")});
        panel.show();
        QVERIFY(part<QLabel>(panel, "modelFailure")->isVisible());
        QCOMPARE(part<QLabel>(panel, "modelFailureDetail")->text(),
                 QStringLiteral("tensor a.b: missing"));
        auto* keep = part<QPushButton>(panel, "keepModel");
        QVERIFY(keep->isVisible());
        keep->click();
        QVERIFY(part<QWidget>(panel, "modelName")->isVisible());
    }

    void model_shown_describesItself() {
        ModelPanel panel;
        panel.showModel(model(true));
        panel.resize(320, 700);
        panel.show();
        QVERIFY(part<QLabel>(panel, "untrainedBanner")->isVisible());
        QVERIFY(part<QLabel>(panel, "untrainedBanner")
                    ->text()
                    .contains(QLatin1String("its words mean nothing")));
        QStringList texts;
        for (const QLabel* label : panel.findChildren<QLabel*>()) {
            texts << label->text();
        }
        const QString all = texts.join(QLatin1Char('|'));
        for (const char* wanted : {"some/model @ 1234567", "Music Flamingo", "cpu, float32",
                                   "7.62 B", "15.23 GB", "example-licence"}) {
            QVERIFY2(all.contains(QLatin1String(wanted)), wanted);
        }
        QVERIFY(part<QPushButton>(panel, "modelCard")->isVisible());
    }

    void trainedModel_hasNoBanner() {
        ModelPanel panel;
        panel.showModel(model(false));
        panel.show();
        QVERIFY(!part<QLabel>(panel, "untrainedBanner")->isVisible());
    }

    void search_countsMatches() {
        ModelPanel panel;
        panel.showModel(model(false));
        auto* search = part<QLineEdit>(panel, "moduleSearch");
        search->setText(QStringLiteral("model.*"));
        QCOMPARE(part<QLabel>(panel, "moduleCount")->text(), QStringLiteral("1 of 3"));
    }

    void licence_ofCards_data() {
        QTest::addColumn<QString>("card");
        QTest::addColumn<QString>("licence");
        QTest::newRow("front matter") << QStringLiteral("---\nlicense: apache-2.0\n---\ntext")
                                      << QStringLiteral("apache-2.0");
        QTest::newRow("named") << QStringLiteral(
                                      "---\nlicense: other\nlicense_name: \"own\"\n---\n")
                               << QStringLiteral("own");
        QTest::newRow("none") << QStringLiteral("---\ntags: x\n---\n") << QString();
        QTest::newRow("empty") << QString() << QString();
    }

    void licence_ofCards() {
        QFETCH(QString, card);
        QTEST(ModelInfoView::licenceOfCard(card), "licence");
    }

    void texts_numbers_areShort() {
        QCOMPARE(compactCount(8'192), QLocale().toString(8'192));
        QCOMPARE(compactCount(12'400'000), QStringLiteral("12.4 M"));
        QCOMPARE(clockTime(185.24), QStringLiteral("3:05.2"));
        QCOMPARE(clockTime(59.97), QStringLiteral("1:00.0"));
        QCOMPARE(clockTime(3723), QStringLiteral("1:02:03.0"));
        QCOMPARE(progressText({Stage::Decode, 0, 0}), QStringLiteral("Decoding sound"));
    }
};

QTEST_MAIN(TestModelPanel)
#include "tst_model_panel.moc"
