#include "core/bridge/mailbox.h"
#include "core/bridge/session_controller.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace earscope;

namespace {
const QString kFlamingo = QStringLiteral("Music Flamingo");
const QString kMoss = QStringLiteral("MOSS-Music");
}  // namespace

class TestLookups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void promptWithDefaultMarkers_followsTheFamily_data() {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("audios");
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QString>("expected");
        const auto text = [](const char* t) { return QString::fromUtf8(t); };
        QTest::newRow("MF none") << kFlamingo << 0 << text("Hi") << text("Hi");
        QTest::newRow("MF one") << kFlamingo << 1 << text("Hi") << text("<audio>\nHi");
        QTest::newRow("MF empty prompt") << kFlamingo << 1 << QString() << text("<audio>\n");
        QTest::newRow("MF two") << kFlamingo << 2 << text("Hi")
                                << text("Audio 1: <audio>\nAudio 2: <audio>\nHi");
        QTest::newRow("MOSS one") << kMoss << 1 << text("Hi") << text("Audio 1: <audio>\nHi");
        QTest::newRow("MOSS two") << kMoss << 2 << text("Hi")
                                  << text("Audio 1: <audio>\nAudio 2: <audio>\nHi");
        QTest::newRow("own markers")
            << kFlamingo << 2 << text("A <audio> B <audio>") << text("A <audio> B <audio>");
        QTest::newRow("own markers, too few")
            << kMoss << 2 << text("A <audio>") << text("A <audio>");
    }
    void promptWithDefaultMarkers_followsTheFamily() {
        QFETCH(QString, family);
        QFETCH(int, audios);
        QFETCH(QString, prompt);
        QFETCH(QString, expected);
        QCOMPARE(promptWithDefaultMarkers(prompt, audios, family), expected);
    }

    // Samples at the source's rate and the tokens the reference makes of them.
    void expectedAudioTokens_atTheEdges_areThoseOfTheReference_data() {
        QTest::addColumn<QString>("family");
        QTest::addColumn<double>("samples");
        QTest::addColumn<double>("rate");
        QTest::addColumn<int>("tokens");
        const auto row = [](const QString& family, double samples, double rate, int tokens) {
            QTest::addRow("%s %.0f at %.0f", qPrintable(family), samples, rate)
                << family << samples << rate << tokens;
        };
        row(kFlamingo, 0, 16000, 0);
        row(kFlamingo, 320, 16000, 0);
        row(kFlamingo, 321, 16000, 1);
        row(kFlamingo, 960, 16000, 1);
        row(kFlamingo, 961, 16000, 2);
        row(kFlamingo, 27200, 16000, 42);
        row(kFlamingo, 479040, 16000, 748);
        row(kFlamingo, 479041, 16000, 749);
        row(kFlamingo, 479680, 16000, 749);
        row(kFlamingo, 479681, 16000, 750);
        row(kFlamingo, 480000, 16000, 750);
        row(kFlamingo, 480001, 16000, 750);
        row(kFlamingo, 480320, 16000, 750);
        row(kFlamingo, 480321, 16000, 751);
        row(kFlamingo, 1200.0 * 16000, 16000, 30000);
        row(kFlamingo, 1300.0 * 16000, 16000, 30000);
        // The 321st sample of the model needs one sample more than 882 (320 samples) at 44.1 kHz.
        row(kFlamingo, 882, 44100, 0);
        row(kFlamingo, 883, 44100, 1);
        row(kFlamingo, 18731, 44100, 11);
        row(kFlamingo, 15344640, 768000, 499);
        row(kFlamingo, 15344641, 768000, 500);
        row(kMoss, 159, 16000, 0);
        row(kMoss, 160, 16000, 1);
        row(kMoss, 1280, 16000, 1);
        row(kMoss, 1440, 16000, 2);
        row(kMoss, 18731, 44100, 6);
        row(kMoss, 1300.0 * 16000, 16000, 16250);
    }
    void expectedAudioTokens_atTheEdges_areThoseOfTheReference() {
        QFETCH(QString, family);
        QFETCH(double, samples);
        QFETCH(double, rate);
        QFETCH(int, tokens);
        QCOMPARE(expectedAudioTokens(samples / rate, family), tokens);
    }

    void expectedAudioTokens_everyCountAtOddRates_hasNoRoundOff() {
        for (const std::int64_t rate : {11025, 22050, 44099, 44100, 48000, 96000}) {
            for (std::int64_t n = rate; n < rate + 2000; ++n) {
                const std::int64_t at16k = (n * 16000 + rate - 1) / rate;
                const std::int64_t frames = (at16k + 159) / 160;
                QCOMPARE(expectedAudioTokens(static_cast<double>(n) / static_cast<double>(rate),
                                             kFlamingo),
                         static_cast<int>((frames + 1) / 4));
            }
        }
    }

    void availableDevices_onAnyMachine_startWithAutoAndHoldTheCpu() {
        const QStringList devices = availableDevices();
        QCOMPARE(devices.first(), QStringLiteral("auto"));
        QVERIFY(devices.contains(QStringLiteral("cpu")));
        QCOMPARE(supportedDtypes().first(), QStringLiteral("float32"));
    }

    void cachedSnapshotFolders_ownCache_findsTheSupportedFamilies() {
        const QTemporaryDir cache;
        const QString entry = cache.filePath(QStringLiteral("models--org--tiny"));
        const QString snapshot = entry + QStringLiteral("/snapshots/0123456789abcdef");
        QVERIFY(QDir().mkpath(snapshot));
        QVERIFY(QDir().mkpath(cache.filePath(QStringLiteral("models--org--other/snapshots/1"))));
        QFile config(snapshot + QStringLiteral("/config.json"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write(R"({"model_type":"musicflamingo",)"
                     R"("architectures":["MusicFlamingoForConditionalGeneration"]})");
        config.close();
        qputenv("HF_HUB_CACHE", cache.path().toUtf8());
        const QStringList folders = cachedSnapshotFolders();
        qunsetenv("HF_HUB_CACHE");
        QCOMPARE(folders.size(), 1);
        QVERIFY2(folders.first().contains(QStringLiteral("models--org--tiny")),
                 qPrintable(folders.first()));
    }

    void mailbox_manyWrites_givesTheNewestProgressAndAllText() {
        Mailbox box;
        QVERIFY(!box.takeProgress());
        for (int i = 0; i < 1000; ++i) {
            box.putProgress(1, {Stage::Generate, i, 1000});
            box.putText(i < 500 ? 1 : 2, i % 500 == 0 ? std::string("\xC3") : "\xA4\xC3", i, i);
        }
        const auto progress = box.takeProgress();
        QVERIFY(progress && progress->first == 1 && progress->second.done == 999);
        QVERIFY(!box.takeProgress());
        const auto texts = box.takeText();
        QCOMPARE(texts.size(), std::size_t{2});
        QCOMPARE(texts[0].id, JobId{1});
        QCOMPARE(texts[0].tokens, 499);
        // Pieces are joined as bytes, so a character cut between two of them stays whole.
        QVERIFY(texts[0].text.startsWith(QString(499, QChar(u'\u00e4'))));
        QCOMPARE(texts[1].tokens, 999);
        QVERIFY(box.takeText().empty());
    }
};

QTEST_GUILESS_MAIN(TestLookups)
#include "tst_lookups.moc"
