#include "audio/decode.h"
#include "audio/playback/player.h"
#include "widgets/sources/level_meter.h"
#include "widgets/sources/record_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <numbers>

using namespace earscope;

namespace {

constexpr double kToneHz = 997;

std::shared_ptr<const std::vector<float>> tone(int rate, double seconds) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * rate));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double phase = 2 * std::numbers::pi * kToneHz * static_cast<double>(i) / rate;
        samples[i] = 0.5F * static_cast<float>(std::sin(phase));
    }
    return std::make_shared<const std::vector<float>>(std::move(samples));
}

/// Frequency by counting the rises through zero between the first and the last of them.
double frequencyOf(const Waveform& waveform) {
    std::size_t first = 0;
    std::size_t last = 0;
    int rises = 0;
    for (std::size_t i = 1; i < waveform.samples.size(); ++i) {
        // The silence before the tone holds noise of its own.
        if (waveform.samples[i - 1] < 0 && waveform.samples[i] >= 0 &&
            waveform.samples[i] - waveform.samples[i - 1] > 0.01F) {
            first = rises == 0 ? i : first;
            last = i;
            ++rises;
        }
    }
    return rises < 2 ? 0
                     : (rises - 1) * static_cast<double>(waveform.sample_rate) /
                           static_cast<double>(last - first);
}

}  // namespace

class TestRecordBar : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    void recordingsFolder_followsTheXdgDataFolder() {
        const QByteArray before = qgetenv("XDG_DATA_HOME");
        QTemporaryDir home;
        qputenv("XDG_DATA_HOME", home.path().toLocal8Bit());
        QCOMPARE(recordingsFolder(), home.filePath(QStringLiteral("earscope/recordings")));
        qputenv("XDG_DATA_HOME", before);
    }

    void withoutDevice_isDisabledAndSaysWhy_withDevice_canRecord() {
        RecordBar bar;
        bar.show();
        auto* button = bar.findChild<QPushButton*>(QStringLiteral("recordStartStop"));
        auto* devices = bar.findChild<QComboBox*>(QStringLiteral("recordDevice"));
        auto* state = bar.findChild<QLabel*>(QStringLiteral("recordState"));
        QCOMPARE(button->isEnabled(), devices->count() > 0);
        if (devices->count() == 0) {
            QVERIFY(state->isVisible());
            QVERIFY(state->text().length() > 10);
            QCOMPARE(button->toolTip(), state->text());
            QVERIFY(!devices->isEnabled());
            bar.start();
            QVERIFY(!bar.isRecording());
        } else {
            qInfo("an input device is there: %s", qPrintable(devices->itemText(0)));
        }
    }

    // Runs with sound as CTest widgets/sources.record_bar_sound, beside a software loudspeaker that
    // the microphone hears.
    void record_aTone_comesBackFromTheFileWithItsFrequency() {
        RecordBar bar;
        bar.show();
        auto* button = bar.findChild<QPushButton*>(QStringLiteral("recordStartStop"));
        if (!qEnvironmentVariableIsSet("EARSCOPE_TEST_SOUND")) {
            qInfo("no software sound device beside this run; see record_bar_sound");
            return;
        }
        QVERIFY2(button->isEnabled(), qPrintable(button->toolTip()));
        QTemporaryDir folder;
        bar.setFolder(folder.filePath(QStringLiteral("made on demand/é")));
        QSignalSpy recorded(&bar, &RecordBar::recorded);
        QSignalSpy failed(&bar, &RecordBar::failed);
        Player player;
        player.setSignal(tone(44'100, 6), 44'100);
        player.play();
        button->click();
        QVERIFY(bar.isRecording());
        QCOMPARE(button->text(), QStringLiteral("Stop"));
        auto* meter = bar.findChild<LevelMeter*>();
        QTRY_VERIFY_WITH_TIMEOUT(meter->peakDb() > -20, 10'000);
        auto* elapsed = bar.findChild<QLabel*>(QStringLiteral("recordElapsed"));
        QTRY_VERIFY_WITH_TIMEOUT(elapsed->text() > QStringLiteral("1.5 s"), 10'000);
        button->click();
        QVERIFY(recorded.count() == 1 || recorded.wait(10'000));
        QCOMPARE(failed.count(), 0);
        const QString path = recorded.at(0).at(0).toString();
        const DecodedAudio audio = decode_file(std::filesystem::path(path.toStdU16String()));
        QVERIFY(audio.waveform.samples.size() >
                static_cast<std::size_t>(audio.waveform.sample_rate));
        const double frequency = frequencyOf(audio.waveform);
        // A lost buffer would break the phase; 2 Hz leave room for one at most.
        QVERIFY2(std::abs(frequency - kToneHz) < 2, qPrintable(QString::number(frequency)));
        QVERIFY(button->isEnabled());
    }

    void save_folderCannotBeMade_keepsTheRecordingForAnotherTry() {
        if (!qEnvironmentVariableIsSet("EARSCOPE_TEST_SOUND")) {
            qInfo("no software sound device beside this run; see record_bar_sound");
            return;
        }
        QTemporaryDir folder;
        QFile obstacle(folder.filePath(QStringLiteral("file")));
        QVERIFY(obstacle.open(QIODevice::WriteOnly));
        RecordBar bar;
        bar.show();
        bar.setFolder(obstacle.fileName() + QStringLiteral("/sub"));
        QSignalSpy recorded(&bar, &RecordBar::recorded);
        QSignalSpy failed(&bar, &RecordBar::failed);
        bar.start();
        auto* elapsed = bar.findChild<QLabel*>(QStringLiteral("recordElapsed"));
        QTRY_VERIFY_WITH_TIMEOUT(elapsed->text() > QStringLiteral("0.2 s"), 10'000);
        bar.stop();
        QVERIFY(failed.count() == 1 || failed.wait(10'000));
        auto* retry = bar.findChild<QPushButton*>(QStringLiteral("recordRetry"));
        QVERIFY(retry->isVisible());
        QVERIFY(!bar.findChild<QPushButton*>(QStringLiteral("recordStartStop"))->isEnabled());
        bar.setFolder(folder.filePath(QStringLiteral("good")));
        retry->click();
        QVERIFY(recorded.wait(10'000));
        QVERIFY(!retry->isVisible());
    }

    void blocked_saysTheReason() {
        RecordBar bar;
        bar.show();
        bar.setBlockedReason(QStringLiteral("A request has at most five sources."));
        auto* button = bar.findChild<QPushButton*>(QStringLiteral("recordStartStop"));
        QVERIFY(!button->isEnabled());
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("recordState"))->text(),
                 QStringLiteral("A request has at most five sources."));
    }

    void hidden_asksForNoDevices() {
        RecordBar bar;
        QCOMPARE(bar.findChild<QComboBox*>(QStringLiteral("recordDevice"))->count(), 0);
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("recordElapsed"))->text(),
                 QStringLiteral("0.0 s"));
    }

    void meter_levels_areDecibels() {
        LevelMeter meter;
        meter.setLevel(0.1, 0.05);
        QVERIFY(std::abs(meter.peakDb() + 20) < 1e-9);
        QVERIFY(!meter.isOverloaded());
        meter.setLevel(0, 0);
        QCOMPARE(meter.peakDb(), LevelMeter::kFloorDb);
        meter.setLevel(1.0, 0.5);
        QVERIFY(meter.isOverloaded());
        QVERIFY(meter.accessibleDescription().contains(QStringLiteral("overloaded")));
        meter.clear();
        QVERIFY(!meter.isOverloaded());
        QCOMPARE(meter.accessibleDescription(), QStringLiteral("silence"));
        meter.resize(meter.sizeHint());
        QVERIFY(!meter.grab().isNull());
    }
};

QTEST_MAIN(TestRecordBar)
#include "tst_record_bar.moc"
