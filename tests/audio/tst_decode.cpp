// Sound files decode as SoundFile does: golden values of every container and encoding.
#include "audio/decode.h"
#include "tests/support/fixtures.h"
#include "tests/support/float_compare.h"
#include "tests/support/stop_at.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <fstream>

using namespace earscope;
using namespace earscope::test;

namespace {

std::filesystem::path soundFile(const QString& name) {
    return fixture("audio/decode/files") / name.toStdString();
}

/// An 8-bit mono WAV of `frames` zero bytes, with a hole instead of samples on disk.
void writeSilence(const std::filesystem::path& file, std::uint32_t rate, std::uint32_t frames) {
    std::array<unsigned char, 44> header{'R', 'I', 'F', 'F', 0,   0,   0,   0, 'W', 'A', 'V',
                                         'E', 'f', 'm', 't', ' ', 16,  0,   0, 0,   1,   0,
                                         1,   0,   0,   0,   0,   0,   0,   0, 0,   0,   1,
                                         0,   8,   0,   'd', 'a', 't', 'a', 0, 0,   0,   0};
    const auto put = [&](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) {
            header[at + i] = static_cast<unsigned char>(value >> (8 * i));
        }
    };
    put(4, 36 + frames);
    put(24, rate);
    put(28, rate);
    put(40, frames);
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(header.data()), header.size());
    out.close();
    std::filesystem::resize_file(file, header.size() + frames);
}

}  // namespace

class TestDecode : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void decode_goodFile_equalsSoundFile_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QJsonObject>("facts");
        for (const auto& folder : fixtureFolders("audio/decode", "frontend/decode")) {
            const QJsonDocument document = readJson(folder / "decode.json");
            const QJsonArray files = document[QLatin1String("files")].toArray();
            QVERIFY(files.size() >= 39);
            const QString path = QString::fromStdString(folder.string());
            for (const auto& entry : files) {
                const QJsonObject facts = entry.toObject();
                const QByteArray name = facts[QLatin1String("file")].toString().toUtf8();
                const bool own = folder == fixture("audio/decode");
                QTest::newRow(own ? name.constData() : ("shared " + name).constData())
                    << path << facts;
            }
        }
    }
    void decode_goodFile_equalsSoundFile() {
        QFETCH(QString, folder);
        QFETCH(QJsonObject, facts);
        const QString name = facts[QLatin1String("file")].toString();
        const std::filesystem::path root = folder.toStdString();
        const DecodedAudio audio = decode_file(root / "files" / name.toStdString());
        QCOMPARE(audio.waveform.sample_rate, facts[QLatin1String("rate")].toInteger());
        QCOMPARE(audio.channels, facts[QLatin1String("channels")].toInt());
        QCOMPARE(audio.header_frames, facts[QLatin1String("header_frames")].toInteger());
        // Builds of libvorbis and mpg123 differ by rounding, up to 2.4e-7; all else is exact.
        const QString encoding = facts[QLatin1String("subtype")].toString();
        const bool rounds =
            encoding == QLatin1String("VORBIS") || encoding.contains(QLatin1String("MPEG"));
        const double bound = rounds ? 1e-6 : 0;
        const auto expected = SafetensorsFile::open(root / "expected.safetensors");
        const auto wanted = floats(expected, "mono." + name.toStdString());
        QCOMPARE(floatMismatch(audio.waveform.samples, wanted, bound), QString());
        QVERIFY(!audio.format.empty());
    }

    void decode_format_isNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        const auto row = [](const char* file, const char* format) {
            QTest::newRow(file) << QString::fromLatin1(file) << QString::fromLatin1(format);
        };
        row("s16_stereo_44100.wav", "WAV, 16-bit PCM");
        row("f32_stereo_96000.caf", "CAF, 32-bit float");
        row("s16_stereo_44100.rf64", "RF64, 16-bit PCM");
        row("s24_mono_48000.w64", "W64, 24-bit PCM");
        row("ima_adpcm_mono_22050.wav", "WAV, IMA ADPCM");
        row("oggenc_stereo.ogg", "Ogg, Vorbis");
        row("opus_mono_48000.ogg", "Ogg, Opus");
        row("mp3_mono_22050.mp3", "MP3");
        row("ulaw_stereo_8000.au", "AU, mu-law");
        row("s16_mono_44100.flac", "FLAC, 16-bit PCM");
    }
    void decode_format_isNamed() {
        QFETCH(QString, file);
        QFETCH(QString, format);
        QCOMPARE(QString::fromStdString(decode_file(soundFile(file)).format), format);
    }

    void decode_stereo_saysThatItWasAveraged() {
        const auto stereo = decode_file(soundFile(QStringLiteral("s16_stereo_44100.wav")));
        QCOMPARE(stereo.notices, std::vector<std::string>{"2 channels were averaged to one"});
        const auto mono = decode_file(soundFile(QStringLiteral("s16_mono_16000.wav")));
        QVERIFY(mono.notices.empty());
    }

    void decode_vbrMp3WithoutTag_saysThatTheRestIsMissing() {
        const auto audio = decode_file(soundFile(QStringLiteral("lame_vbr_notag_stereo.mp3")));
        QCOMPARE(audio.notices.size(), std::size_t{2});
        QVERIFY(audio.notices[1].find("18,081 frames (0.41 s)") != std::string::npos);
        QVERIFY(audio.notices[1].find("32,256 (0.73 s)") != std::string::npos);
    }

    void decode_cbrMp3WithoutTag_saysNothing() {
        const auto audio = decode_file(soundFile(QStringLiteral("lame_cbr_notag_mono.mp3")));
        QVERIFY2(audio.notices.empty(), audio.notices.empty() ? "" : audio.notices[0].c_str());
    }

    void decode_longerThanFourHours_isCutThere() {
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "long.wav";
        writeSilence(file, 1000, 4 * 3600 * 1000 + 1000);
        const DecodedAudio cut = decode_file(file);
        QCOMPARE(cut.waveform.samples.size(), std::size_t{4 * 3600 * 1000});
        QCOMPARE(cut.notices,
                 std::vector<std::string>{"the file is longer than 4 h and was cut there"});
        writeSilence(file, 1000, 4 * 3600 * 1000);
        QVERIFY(decode_file(file).notices.empty());
    }

    void decode_progress_risesToTheTotal() {
        std::vector<Progress> reports;
        const auto audio =
            decode_file(fixture("bugfiles/BL12_960000.flac"), {},
                        [&](const Progress& progress) { reports.push_back(progress); });
        QVERIFY(reports.size() > 5);
        std::int64_t last = 0;
        for (const Progress& progress : reports) {
            QCOMPARE(progress.stage, Stage::Decode);
            QCOMPARE(progress.total, std::int64_t{960000});
            QVERIFY(progress.done > last);
            last = progress.done;
        }
        QCOMPARE(last, static_cast<std::int64_t>(audio.waveform.samples.size()));
    }

    void decode_stopped_throwsCancelled() {
        StopAt stop;
        QVERIFY_EXCEPTION_THROWN(
            decode_file(fixture("bugfiles/BL12_960000.flac"), stop.token(), stop.at(2)), Cancelled);
        QCOMPARE(stop.reports(), 2);
        QVERIFY_EXCEPTION_THROWN(decode_file(fixture("bugfiles/BL12_960000.flac"), stop.token()),
                                 Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestDecode)
#include "tst_decode.moc"
