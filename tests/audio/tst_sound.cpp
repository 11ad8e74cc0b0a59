// Real sound through a software loudspeaker and a microphone that hears it.
#include "audio/decode.h"
#include "audio/playback/player.h"
#include "audio/playback/recorder.h"
#include "tests/support/fixtures.h"
#include "tests/support/virtual_sound.h"

#include <QElapsedTimer>
#include <QSignalSpy>

#include <cmath>
#include <numbers>

using namespace earscope;
using namespace earscope::test;

namespace {

constexpr std::int64_t kRate = 16'000;

std::shared_ptr<const std::vector<float>> tone(double hertz, double seconds, float amplitude) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * kRate));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double angle = 2 * std::numbers::pi * hertz * static_cast<double>(i) / kRate;
        samples[i] = amplitude * static_cast<float>(std::sin(angle));
    }
    return std::make_shared<const std::vector<float>>(std::move(samples));
}

/// Amplitude of one frequency in a stretch of sound.
double amplitudeAt(std::span<const float> samples, double rate, double hertz) {
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double angle = 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate;
        real += static_cast<double>(samples[i]) * std::cos(angle);
        imaginary += static_cast<double>(samples[i]) * std::sin(angle);
    }
    return 2 * std::hypot(real, imaginary) / static_cast<double>(samples.size());
}

/// The loudest frequency between 50 Hz and 2 kHz, to half a hertz.
double loudestFrequency(std::span<const float> samples, double rate) {
    double best = 0;
    double loudest = 0;
    const auto look = [&](double from, double to, double step) {
        for (double hertz = from; hertz <= to; hertz += step) {
            const double amplitude = amplitudeAt(samples, rate, hertz);
            if (amplitude > loudest) {
                loudest = amplitude;
                best = hertz;
            }
        }
    };
    look(50, 2000, 2);
    const double coarse = best;
    look(coarse - 2, coarse + 2, 0.25);
    return best;
}

/// Where the recording is loud, without its first and last 0.1 s.
std::span<const float> loudPart(const Waveform& waveform) {
    const auto loud = [](float sample) { return std::abs(sample) > 0.05F; };
    const auto& samples = waveform.samples;
    const auto margin = static_cast<std::ptrdiff_t>(waveform.sample_rate / 10);
    const auto first = std::find_if(samples.begin(), samples.end(), loud) + margin;
    const auto last = std::find_if(samples.rbegin(), samples.rend(), loud).base() - margin;
    return last > first ? std::span(first, last) : std::span<const float>();
}

struct Position {
    double wall = 0;
    double seconds = 0;
};

}  // namespace

class TestSound : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void devices_virtualMicrophone_isOffered() {
        const Recorder recorder;
        QCOMPARE(recorder.unavailableReason(), QString());
        QVERIFY(recorder.isAvailable());
        const auto devices = recorder.devices();
        QVERIFY(!devices.isEmpty());
        QVERIFY(devices.front().isDefault);
        QVERIFY2(devices.front().name.contains(QLatin1String("Virtual-Microphone")),
                 qPrintable(devices.front().name));
        QVERIFY(Player().isAvailable());
    }

    void playedTone_isRecordedWithItsFrequency() {
        Recorder recorder;
        Player player;
        QSignalSpy recorded(&recorder, &Recorder::finished);
        QSignalSpy levels(&recorder, &Recorder::levelChanged);
        QSignalSpy failures(&recorder, &Recorder::failed);
        QSignalSpy ended(&player, &Player::finished);
        recorder.start(recorder.devices().front().id);
        QVERIFY(recorder.isRecording());
        QTRY_VERIFY(recorder.elapsedSeconds() > 0.1);
        player.setSignal(tone(440, 2, 0.5F), kRate);
        player.play();
        QVERIFY(player.isPlaying());
        QVERIFY(ended.wait(6000));
        QVERIFY(!player.isPlaying());
        const double elapsed = recorder.elapsedSeconds();
        recorder.stop();
        QCOMPARE(failures.count(), 0);
        QCOMPARE(recorded.count(), 1);
        const auto heard = recorded.takeFirst().takeFirst().value<Waveform>();
        QVERIFY(static_cast<double>(heard.samples.size()) >=
                elapsed * static_cast<double>(heard.sample_rate) - 1);
        const auto part = loudPart(heard);
        const double seconds =
            static_cast<double>(part.size()) / static_cast<double>(heard.sample_rate);
        QVERIFY2(seconds > 1.5 && seconds < 2.1, qPrintable(QString::number(seconds)));
        const double hertz = loudestFrequency(part, static_cast<double>(heard.sample_rate));
        const double amplitude = amplitudeAt(part, static_cast<double>(heard.sample_rate), hertz);
        qInfo("recorded %.2f s of %.2f Hz at amplitude %.3f", seconds, hertz, amplitude);
        QVERIFY(std::abs(hertz - 440) <= 1);
        QVERIFY(std::abs(amplitude - 0.5) < 0.05);
        double loudest = 0;
        double loudestRms = 0;
        for (const QList<QVariant>& level : levels) {
            loudest = std::max(loudest, level[0].toDouble());
            loudestRms = std::max(loudestRms, level[1].toDouble());
        }
        QVERIFY(std::abs(loudest - 0.5) < 0.05);
        QVERIFY(std::abs(loudestRms - 0.5 / std::numbers::sqrt2) < 0.05);
        QVERIFY2(levels.count() >= 10 * static_cast<int>(elapsed),
                 qPrintable(QString::number(levels.count())));
    }

    // BL48: a file of 4 kHz on a device of 48 kHz.
    void playedClicks_cursorKeepsTime() {
        const auto file = decode_file(fixture("bugfiles/BL48_4000hz_clicks_every_second.wav"));
        const auto samples = std::make_shared<const std::vector<float>>(file.waveform.samples);
        Recorder recorder;
        Player player;
        QSignalSpy recorded(&recorder, &Recorder::finished);
        QSignalSpy ended(&player, &Player::finished);
        std::vector<Position> positions;
        QElapsedTimer clock;
        connect(&player, &Player::positionChanged, this, [&](double seconds) {
            positions.push_back({static_cast<double>(clock.nsecsElapsed()) / 1e9, seconds});
        });
        recorder.start();
        player.setSignal(samples, file.waveform.sample_rate);
        clock.start();
        player.play(0.5, 9.5);
        QVERIFY(ended.wait(15'000));
        recorder.stop();
        QCOMPARE(player.positionSeconds(), 9.5);
        checkPositions(positions);
        checkClicks(recorded.takeFirst().takeFirst().value<Waveform>());
    }

    void play_part_startsAndEndsThere() {
        Player player;
        QSignalSpy positions(&player, &Player::positionChanged);
        QSignalSpy ended(&player, &Player::finished);
        QSignalSpy playing(&player, &Player::playingChanged);
        player.setSignal(tone(300, 5, 0.1F), kRate);
        player.play(2, 2.5);
        QCOMPARE(player.positionSeconds(), 2.0);
        QVERIFY(ended.wait(4000));
        QCOMPARE(playing.count(), 2);
        QVERIFY(playing[0][0].toBool());
        QVERIFY(!playing[1][0].toBool());
        for (const QList<QVariant>& position : positions) {
            QVERIFY(position[0].toDouble() >= 2.0 && position[0].toDouble() <= 2.5);
        }
        QCOMPARE(positions.last()[0].toDouble(), 2.5);
    }

    // BL05
    void play_beyondFullScale_isLimitedAndNotAltered() {
        const auto loud = tone(200, 1, 3.8F);
        const std::vector<float> before = *loud;
        Recorder recorder;
        Player player;
        QSignalSpy recorded(&recorder, &Recorder::finished);
        QSignalSpy ended(&player, &Player::finished);
        recorder.start();
        player.setSignal(loud, kRate);
        player.play();
        QVERIFY(ended.wait(5000));
        recorder.stop();
        QVERIFY(*loud == before);
        const auto heard = recorded.takeFirst().takeFirst().value<Waveform>();
        const float peak = *std::max_element(heard.samples.begin(), heard.samples.end());
        QVERIFY2(peak > 0.9F && peak <= 1.01F,
                 qPrintable(QString::number(static_cast<double>(peak))));
    }

    void stop_playing_saysSoAndDoesNotFinish() {
        Player player;
        QSignalSpy ended(&player, &Player::finished);
        QSignalSpy playing(&player, &Player::playingChanged);
        player.setSignal(tone(300, 5, 0.1F), kRate);
        player.play();
        QTRY_VERIFY(player.positionSeconds() > 0.2);
        player.stop();
        QVERIFY(!player.isPlaying());
        QCOMPARE(playing.count(), 2);
        const double where = player.positionSeconds();
        QVERIFY(!ended.wait(200));
        QCOMPARE(player.positionSeconds(), where);
        player.play(1);  // and again
        QTRY_VERIFY(player.positionSeconds() > 1.2);
    }

    void play_nothingThere_fails() {
        Player player;
        QSignalSpy failures(&player, &Player::failed);
        player.play();
        player.setSignal(tone(300, 1, 0.1F), kRate);
        player.play(1, 2);
        player.play(0.5, 0.25);
        QCOMPARE(failures.count(), 3);
        QVERIFY(!player.isPlaying());
    }

    void cancel_recording_saysNothingMore() {
        Recorder recorder;
        QSignalSpy finished(&recorder, &Recorder::finished);
        QSignalSpy failed(&recorder, &Recorder::failed);
        QSignalSpy recording(&recorder, &Recorder::recordingChanged);
        recorder.start();
        QTRY_VERIFY(recorder.elapsedSeconds() > 0.1);
        recorder.cancel();
        recorder.stop();
        QCOMPARE(recording.count(), 2);
        QCOMPARE(finished.count() + failed.count(), 0);
        QCOMPARE(recorder.elapsedSeconds(), 0.0);
    }

    void start_unknownDevice_fails() {
        Recorder recorder;
        QSignalSpy failed(&recorder, &Recorder::failed);
        recorder.start("no-such-device");
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed[0][0].toString().contains(QLatin1String("no longer there")));
        QVERIFY(!recorder.isRecording());
    }

    void calls_neverMakeTheCallerWait() {
        Recorder recorder;
        Player player;
        player.setSignal(tone(300, 60, 0.1F), kRate);
        qint64 worst = 0;
        QElapsedTimer clock;
        const auto timed = [&](const auto& call) {
            clock.start();
            call();
            worst = std::max(worst, clock.elapsed());
        };
        for (int round = 0; round < 3; ++round) {
            timed([&] { recorder.start(); });
            timed([&] { player.play(); });
            QTRY_VERIFY(player.positionSeconds() > 0.1 && recorder.elapsedSeconds() > 0.1);
            timed([&] { player.stop(); });
            timed([&] { recorder.stop(); });
        }
        qInfo("longest call: %lld ms", worst);
        QVERIFY(worst < 100);
    }

private:
    /// Against the clock, once the sound has begun: the cursor runs at real speed, without jumps.
    static void checkPositions(const std::vector<Position>& positions) {
        std::vector<double> lags;
        double last = 0;
        for (const Position& position : positions) {
            QVERIFY(position.seconds >= last);
            last = position.seconds;
            if (position.seconds > 1 && position.seconds < 9.5) {
                lags.push_back(position.wall - (position.seconds - 0.5));
            }
        }
        QVERIFY2(lags.size() > 8 * 20, qPrintable(QString::number(lags.size())));
        std::sort(lags.begin(), lags.end());
        qInfo("cursor behind play(): %.0f to %.0f ms", lags.front() * 1e3, lags.back() * 1e3);
        QVERIFY(lags.back() - lags.front() < 0.040);  // +-20 ms
    }

    /// Clicks 1 to 9 a second apart.
    static void checkClicks(const Waveform& heard) {
        std::vector<double> clicks;
        const auto rate = static_cast<double>(heard.sample_rate);
        for (std::size_t i = 0; i < heard.samples.size(); ++i) {
            const double at = static_cast<double>(i) / rate;
            if (std::abs(heard.samples[i]) > 0.4F && (clicks.empty() || at - clicks.back() > 0.5)) {
                clicks.push_back(at);
            }
        }
        QCOMPARE(clicks.size(), std::size_t{9});
        for (std::size_t k = 1; k < clicks.size(); ++k) {
            QVERIFY(std::abs(clicks[k] - clicks[0] - static_cast<double>(k)) < 0.020);
        }
    }
};

int main(int argc, char** argv) {
    return runBesideVirtualSound<TestSound>(argc, argv, false);
}
#include "tst_sound.moc"
