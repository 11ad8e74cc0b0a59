// Files that are damaged, hostile, oddly named or not readable: each gives its own clear answer.
#include "audio/decode.h"
#include "audio/wav_file.h"
#include "tests/support/fixtures.h"
#include "tests/support/float_compare.h"
#include "tests/support/process.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <sys/stat.h>

using namespace earscope;
using namespace earscope::test;

namespace {

std::filesystem::path damaged(const std::string& name) {
    return fixture("audio/decode/malformed") / name;
}

/// The message of the AudioError that decoding throws, "" when it throws none.
std::string fault(const std::filesystem::path& file) {
    try {
        (void)decode_file(file);
    } catch (const AudioError& error) {
        return error.what();
    }
    return {};
}

std::string waveformFault(const Waveform& waveform) {
    try {
        check_waveform(waveform, "wave.0");
    } catch (const AudioError& error) {
        return error.what();
    }
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const Waveform kTone{{0.5F, -0.5F, 0.25F}, 16000};

}  // namespace

class TestDecodeFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QVERIFY(folder_.isValid()); }

    void decode_damagedBeyondUse_saysWhy_data() {
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* file, const char* reason) {
            QTest::newRow(file) << QString::fromLatin1(reason);
        };
        row("bits_0.wav", "unimplemented format");
        row("channels_0.wav", "Channel count is zero");
        row("channels_1024.wav", "it has 1,024 channels, at most 64 are allowed");
        row("channels_1025.wav", "Too many channels");
        row("channels_65535.wav", "Too many channels");
        row("data_size_zero_but_data.wav",
            "it holds no samples by its header, although 2,000 bytes");
        row("empty.flac", "it is empty (0 bytes)");
        row("empty.mp3", "it is empty (0 bytes)");
        row("empty.wav", "it is empty (0 bytes)");
        row("flac_bitflip.flac", "it is damaged after 0 frames");
        row("flac_truncated.flac", "it is damaged after 8,192 frames");
        row("format_tag_unknown.wav", "its header is damaged or of an unknown kind");
        row("header_only_no_data_chunk.wav", "No 'data' chunk");
        row("rate_0.wav", "no usable sample rate");
        row("rate_1.wav", "its sample rate is 1 Hz, 1,000 to 768,000 Hz are allowed");
        row("rate_2147483647.wav", "its sample rate is 2,147,483,647 Hz");
        row("rate_4294967295.wav", "no usable sample rate");
        row("riff_cut_in_fmt.wav", "its header is damaged");
        row("text.mp3", "it is not a sound file that can be read");
        row("text.wav", "it is not a sound file that can be read");
        row("zero_frames.wav", "it holds no samples");
        row("zero_frames_stereo_float.wav", "it holds no samples");
    }
    void decode_damagedBeyondUse_saysWhy() {
        QFETCH(QString, reason);
        const std::string message = fault(damaged(QTest::currentDataTag()));
        QVERIFY2(contains(message, reason.toStdString()), message.c_str());
        QVERIFY2(contains(message, QTest::currentDataTag()), message.c_str());
        QVERIFY(!contains(message, "\n"));
    }

    void decode_damagedButUsable_givesWhatIsThere_data() {
        QTest::addColumn<QString>("notice");
        QTest::addColumn<qint64>("header");
        const auto row = [](const char* file, qint64 header, const char* notice) {
            QTest::newRow(file) << QString::fromLatin1(notice) << header;
        };
        row("data_size_ffffffff.wav", 1000, "");
        row("mp3_leading_garbage.mp3", 30'000, "");
        row("mp3_truncated.mp3", 30'000, "the header says 30,000 frames, 19,631 could be read");
        row("nan_inf_float.wav", 200, "");
        row("really_flac_named.wav", 3000, "");
        row("truncated_promise.wav", 10'000, "the header says 10,000 frames, 1,000 could be read");
        row("vorbis_truncated.ogg", -1, "19,136 frames could be read");
    }
    void decode_damagedButUsable_givesWhatIsThere() {
        QFETCH(QString, notice);
        QFETCH(qint64, header);
        const std::string name = QTest::currentDataTag();
        const DecodedAudio audio = decode_file(damaged(name));
        const auto expected = SafetensorsFile::open(fixture("audio/decode/expected.safetensors"));
        // Vorbis and MP3 differ by rounding between builds of their libraries.
        const double bound = contains(name, ".mp3") || contains(name, ".ogg") ? 1e-6 : 0;
        QCOMPARE(
            floatMismatch(audio.waveform.samples, floats(expected, "malformed." + name), bound),
            QString());
        QCOMPARE(audio.header_frames, header);
        if (notice.isEmpty()) {
            QVERIFY2(audio.notices.empty(), audio.notices.empty() ? "" : audio.notices[0].c_str());
        } else {
            QCOMPARE(audio.notices.size(), std::size_t{1});
            QVERIFY2(contains(audio.notices[0], notice.toStdString()), audio.notices[0].c_str());
        }
    }

    void decode_cutInAFrame_dropsThatFrame() {
        const DecodedAudio audio = decode_file(damaged("truncated_mid_frame.wav"));
        QCOMPARE(audio.waveform.samples.size(), std::size_t{499});
        QVERIFY(contains(audio.notices.back(), "499 could be read"));
    }

    // A3, A4
    void check_notFinite_saysFirstIndexAndCount() {
        const DecodedAudio audio = decode_file(damaged("nan_inf_float.wav"));
        const std::string message = waveformFault(audio.waveform);
        QVERIFY2(contains(message, "wave.0") && contains(message, "3 of them"), message.c_str());
        Waveform one{std::vector<float>(100, 0.5F), 16000};
        one.samples[17] = NAN;
        QCOMPARE(waveformFault(one),
                 std::string("wave.0 holds samples that are not finite numbers: "
                             "1 of them, the first at index 17"));
    }
    void check_hugeButFinite_isAccepted() {
        QCOMPARE(waveformFault({{1e38F}, 16000}), std::string());
    }
    void check_emptyOrWrongRate_isRefused() {
        QVERIFY(contains(waveformFault({{}, 16000}), "no samples"));
        QVERIFY(contains(waveformFault({{1.0F}, 999}), "999 Hz, 1,000 to 768,000 Hz"));
        QVERIFY(contains(waveformFault({{1.0F}, 768'001}), "768,001 Hz"));
        QCOMPARE(waveformFault({{1.0F}, 768'000}), std::string());
    }

    // A8
    void decode_anyName_opens_data() {
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* title, const QByteArray& name) {
            QTest::newRow(title) << name;
        };
        row("Cyrillic", "Проба.wav");
        row("CJK", "音楽 中文 한국어.wav");
        row("Arabic", "صوت.wav");
        row("composed", "caf\xC3\xA9.wav");
        row("decomposed", "cafe\xCC\x81.wav");
        row("emoji", "🎵🎧.wav");
        row("percent", "a%23b%20c.wav");
        row("hash and question mark", "a#b?c.wav");
        row("quotes", "it's \"quoted\" `here` $HOME.wav");
        row("new line", "two\nlines.wav");
        row("leading dash", "-o.wav");
        row("leading space", " .wav");
        row("backslash", "a\\b.wav");
        row("244 bytes", QByteArray(240, 'n') + ".wav");
        row("255 bytes", QByteArray(251, 'n') + ".wav");
        row("not UTF-8", QByteArray("bad\xFF\xC0\xAF.wav"));
        row("half a character", QByteArray("cut\xE9\x9F.wav"));
    }
    void decode_anyName_opens() {
        QFETCH(QByteArray, name);
        const std::filesystem::path file = path(name.toStdString());
        write_wav(file, kTone);
        QCOMPARE(floatMismatch(decode_file(file).waveform.samples, kTone.samples, 0), QString());
        const auto here = std::filesystem::current_path();
        std::filesystem::current_path(file.parent_path());
        const auto relative = decode_file(file.filename());
        std::filesystem::current_path(here);
        QCOMPARE(floatMismatch(relative.waveform.samples, kTone.samples, 0), QString());
        std::filesystem::remove(file);
        const std::string message = fault(file);
        QVERIFY(contains(message, "No such file or directory"));
        QVERIFY(!contains(message, "\n"));
        const QByteArray bytes = QByteArray::fromStdString(message);
        QCOMPARE(QString::fromUtf8(bytes).toUtf8(), bytes);  // valid UTF-8
        QVERIFY(!QString::fromUtf8(bytes).contains(QChar::ReplacementCharacter));
    }

    // A9, BL18
    void decode_missing_saysSo() {
        QVERIFY(contains(fault(path("missing.wav")), "No such file or directory"));
    }
    void decode_directory_saysSo() {
        QVERIFY(std::filesystem::create_directory(path("a_directory.wav")));
        QVERIFY(contains(fault(path("a_directory.wav")), "Is a directory"));
    }
    void decode_danglingLink_saysSo() {
        std::filesystem::create_symlink("nowhere", path("dangling.wav"));
        QVERIFY(contains(fault(path("dangling.wav")), "No such file or directory"));
    }
    void decode_linkLoop_saysSo() {
        std::filesystem::create_symlink("loop.wav", path("loop.wav"));
        QVERIFY(contains(fault(path("loop.wav")), "Too many levels of symbolic links"));
    }
    void decode_fifo_isRefusedWithoutWaiting() {
        QCOMPARE(::mkfifo(path("pipe.wav").c_str(), 0666), 0);
        QVERIFY(contains(fault(path("pipe.wav")), "it is a pipe, a socket or a device"));
    }
    void decode_device_isRefused() {
        QVERIFY(contains(fault("/dev/zero"), "it is a pipe, a socket or a device"));
    }
    void decode_noPermission_saysSo() {
        write_wav(path("no_read.wav"), kTone);
        QCOMPARE(::chmod(path("no_read.wav").c_str(), 0), 0);
        QCOMPARE(::chmod(qPrintable(folder_.path()), 0755), 0);
        const std::string message = inChild([&] { return fault(path("no_read.wav")); }, true);
        QVERIFY2(contains(message, "Permission denied") && contains(message, "no_read.wav"),
                 message.c_str());
    }
    void decode_emptyName_saysSo() { QVERIFY(contains(fault({}), "No such file or directory")); }
    void decode_link_isFollowed() {
        write_wav(path("real.wav"), kTone);
        std::filesystem::create_symlink("real.wav", path("link.wav"));
        QCOMPARE(decode_file(path("link.wav")).waveform.samples.size(), kTone.samples.size());
    }
    void decode_rawLookingName_isNotTurnedIntoNoise() {
        for (const char* name : {"a.vox", "a.gsm", "a.ul", "a.raw", "a.mp3", "a.au", "a.sds"}) {
            std::ofstream(path(name)) << std::string(5000, 'x');
            QVERIFY2(contains(fault(path(name)), "it is not a sound file that can be read"), name);
        }
    }

    void decode_oftenAndFailing_leavesNoDescriptorOpen() {
        const auto descriptors = [] {
            const std::filesystem::directory_iterator all("/proc/self/fd");
            return std::distance(begin(all), end(all));
        };
        const auto before = descriptors();
        for (const char* name : {"text.mp3", "rate_0.wav", "flac_truncated.flac", "empty.wav",
                                 "channels_1024.wav", "truncated_promise.wav", "none.wav"}) {
            (void)fault(damaged(name));
        }
        QCOMPARE(descriptors(), before);
    }

private:
    std::filesystem::path path(const std::string& name) const {
        return std::filesystem::path(folder_.path().toStdString()) / name;
    }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestDecodeFaults)
#include "tst_decode_faults.moc"
