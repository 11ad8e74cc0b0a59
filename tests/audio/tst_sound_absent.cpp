// Without any sound system playing and recording are refused with a reason.
#include "audio/playback/player.h"
#include "audio/playback/recorder.h"
#include "tests/support/virtual_sound.h"

#include <QSignalSpy>

using namespace earscope;
using namespace earscope::test;

class TestSoundAbsent : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void player_withoutOutput_saysWhy() {
        Player player;
        QSignalSpy failed(&player, &Player::failed);
        QVERIFY(!player.isAvailable());
        QVERIFY(player.unavailableReason().startsWith(QLatin1String("No sound output was found.")));
        player.setSignal(std::make_shared<const std::vector<float>>(16'000, 0.1F), 16'000);
        player.play();
        QVERIFY(!player.isPlaying());
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), player.unavailableReason());
        player.stop();
    }

    void recorder_withoutInput_saysWhy() {
        Recorder recorder;
        QSignalSpy failed(&recorder, &Recorder::failed);
        QVERIFY(!recorder.isAvailable());
        QVERIFY(recorder.devices().isEmpty());
        QVERIFY(recorder.unavailableReason().startsWith(QLatin1String("No microphone was found.")));
        recorder.start();
        QVERIFY(!recorder.isRecording());
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), recorder.unavailableReason());
        recorder.stop();
        recorder.cancel();
    }
};

int main(int argc, char** argv) {
    return runBesideVirtualSound<TestSoundAbsent>(argc, argv, true);
}
#include "tst_sound_absent.moc"
