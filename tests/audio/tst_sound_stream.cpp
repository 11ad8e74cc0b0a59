// What the device pulls: rate, format, limits and time of the sound, without a device.
#include "audio/playback/level_meter.h"
#include "audio/playback/sound_format_io.h"
#include "audio/playback/sound_stream.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <numbers>

using namespace earscope;

namespace {

QAudioFormat format(int rate, int channels = 1,
                    QAudioFormat::SampleFormat sample = QAudioFormat::Float) {
    QAudioFormat value;
    value.setSampleRate(rate);
    value.setChannelCount(channels);
    value.setSampleFormat(sample);
    return value;
}

std::shared_ptr<const std::vector<float>> shared(std::vector<float> samples) {
    return std::make_shared<const std::vector<float>>(std::move(samples));
}

std::vector<float> pull(SoundStream& stream, int frames, const QAudioFormat& as) {
    const QByteArray bytes = stream.read(qint64{frames} * as.bytesPerFrame());
    std::vector<float> mono;
    appendFrames(mono, bytes.constData(), bytes.size() / as.bytesPerFrame(), as);
    return mono;
}

}  // namespace

class TestSoundStream : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pull_sameRate_givesTheSamples() {
        const auto as = format(16'000);
        SoundStream stream(shared({0.1F, -0.2F, 0.3F, 0.4F, 0.5F}), 16'000, 1, 4, as);
        const auto heard = pull(stream, 6, as);
        const std::vector<float> wanted{-0.2F, 0.3F, 0.4F, 0, 0, 0};
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QVERIFY(std::abs(heard[i] - wanted[i]) < 1e-6F);
        }
        QCOMPARE(stream.totalSeconds(), 3.0 / 16'000);
        QCOMPARE(stream.pulledSeconds(), 6.0 / 16'000);
    }

    void pull_otherRate_keepsTheTone_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const auto& [from, to] : {std::pair{44'100, 48'000},
                                       {16'000, 48'000},
                                       {4'000, 44'100},
                                       {192'000, 48'000},
                                       {768'000, 44'100},
                                       {1'000, 96'000}}) {
            QTest::addRow("%d to %d Hz", from, to) << from << to;
        }
    }
    void pull_otherRate_keepsTheTone() {
        QFETCH(int, from);
        QFETCH(int, to);
        constexpr double kHertz = 200;
        std::vector<float> samples(static_cast<std::size_t>(from));
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = static_cast<float>(
                0.8 * std::sin(2 * std::numbers::pi * kHertz * static_cast<double>(i) / from));
        }
        const auto as = format(to);
        SoundStream stream(shared(samples), from, 0, from, as);
        const auto heard = pull(stream, to, as);
        double worst = 0;
        for (std::size_t i = heard.size() / 10; i < heard.size() * 9 / 10; ++i) {
            const double wanted =
                0.8 * std::sin(2 * std::numbers::pi * kHertz * static_cast<double>(i) / to);
            worst = std::max(worst, std::abs(static_cast<double>(heard[i]) - wanted));
        }
        // Below -60 dB: the window's stop band and the steps of the kernel, not audible.
        QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
    }

    void pull_downwards_removesWhatTheDeviceCannotCarry() {
        std::vector<float> samples(96'000);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = static_cast<float>(
                std::sin(2 * std::numbers::pi * 30'000.0 * static_cast<double>(i) / 96'000));
        }
        const auto as = format(44'100);
        SoundStream stream(shared(samples), 96'000, 0, 96'000, as);
        QVERIFY(levelOf(pull(stream, 40'000, as)).rms < 1e-2);
    }

    void pull_beyondFullScaleOrNotFinite_isLimited() {
        const auto as = format(16'000);
        SoundStream stream(shared({3.8F, -3.8F, NAN, INFINITY, 0.5F}), 16'000, 0, 5, as);
        for (const float sample : pull(stream, 10, as)) {
            QVERIFY(sample >= -1.0F && sample <= 1.0F);
        }
    }

    void frames_everyFormat_comeBack_data() {
        QTest::addColumn<int>("sample");
        QTest::addColumn<double>("step");
        QTest::newRow("8 bit") << int{QAudioFormat::UInt8} << 1.0 / 128;
        QTest::newRow("16 bit") << int{QAudioFormat::Int16} << 1.0 / 32768;
        QTest::newRow("32 bit") << int{QAudioFormat::Int32} << 1e-7;
        QTest::newRow("float") << int{QAudioFormat::Float} << 0.0;
    }
    void frames_everyFormat_comeBack() {
        QFETCH(int, sample);
        QFETCH(double, step);
        const auto as = format(48'000, 3, static_cast<QAudioFormat::SampleFormat>(sample));
        for (const float value : {0.0F, 0.25F, -0.7F, 1.0F, -1.0F, 0.333F}) {
            QByteArray frame(as.bytesPerFrame(), '\0');
            writeFrame(frame.data(), as, value);
            std::vector<float> back;
            appendFrames(back, frame.constData(), 1, as);
            QCOMPARE(back.size(), std::size_t{1});
            QVERIFY(std::abs(static_cast<double>(back[0] - value)) <= step + 1e-7);
        }
    }

    void level_samples_peakAndRms() {
        const std::vector<float> samples{3.0F, -4.0F, NAN, 0.0F};
        const Level level = levelOf(samples);
        QCOMPARE(level.peak, 4.0);
        QCOMPARE(level.rms, 2.5);
        QCOMPARE(levelOf({}).rms, 0.0);
    }
};

QTEST_GUILESS_MAIN(TestSoundStream)
#include "tst_sound_stream.moc"
