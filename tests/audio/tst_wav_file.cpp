// WAV files are written whole or not at all, and read back equal.
#include "audio/decode.h"
#include "audio/wav_file.h"
#include "core/base/errors.h"
#include "tests/support/float_compare.h"
#include "tests/support/process.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace earscope;
using namespace earscope::test;

namespace {

std::filesystem::path in(const QTemporaryDir& folder, const char* name) {
    return std::filesystem::path(folder.path().toStdString()) / name;
}

std::ptrdiff_t entries(const QTemporaryDir& folder) {
    const std::filesystem::directory_iterator all(folder.path().toStdString());
    return std::distance(begin(all), end(all));
}

/// The message of the ExportError that writing throws, "" when it throws none.
std::string fault(const std::filesystem::path& file, const Waveform& waveform) {
    try {
        write_wav(file, waveform);
    } catch (const ExportError& error) {
        return error.what();
    }
    return {};
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class TestWavFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void write_samples_readBackEqual() {
        const QTemporaryDir folder;
        const Waveform out{{0.0F, -1.0F, 3.75F, 1e-30F, 1e38F, -0.5F}, 44099};
        write_wav(in(folder, "a.wav"), out);
        const DecodedAudio back = decode_file(in(folder, "a.wav"));
        QCOMPARE(back.waveform.sample_rate, out.sample_rate);
        QCOMPARE(back.channels, 1);
        QCOMPARE(back.header_frames, std::int64_t{6});
        QCOMPARE(QString::fromStdString(back.format), QStringLiteral("WAV, 32-bit float"));
        QCOMPARE(floatMismatch(back.waveform.samples, out.samples, 0), QString());
        QVERIFY(back.notices.empty());
        QCOMPARE(entries(folder), 1);
    }

    void write_empty_isAWavWithoutSamples() {
        const QTemporaryDir folder;
        write_wav(in(folder, "a.wav"), {{}, 16000});
        QCOMPARE(std::filesystem::file_size(in(folder, "a.wav")), std::uintmax_t{56});
    }

    void write_wrongRate_throwsExportError() {
        const QTemporaryDir folder;
        QVERIFY(contains(fault(in(folder, "a.wav"), {{1.0F}, 0}), "sample rate of 0 Hz"));
        QVERIFY(contains(fault(in(folder, "a.wav"), {{1.0F}, 1'000'000}), "1,000,000 Hz"));
        QCOMPARE(entries(folder), 0);
    }

    void write_badTargets_throwWithTheReason() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("folder.wav")));
        const Waveform one{{1.0F}, 16000};
        QVERIFY(contains(fault(in(folder, "folder.wav"), one), "Is a directory"));
        QVERIFY(contains(fault(in(folder, "missing/a.wav"), one), "No such file or directory"));
        QCOMPARE(entries(folder), 1);
    }

    void write_readOnlyFolder_throwsPermissionDenied() {
        const QTemporaryDir folder;
        QCOMPARE(::chmod(qPrintable(folder.path()), 0555), 0);
        const std::string message = inChild(
            [&] {
                return fault(in(folder, "a.wav"), {{1.0F}, 16000});
            },
            true);
        QCOMPARE(::chmod(qPrintable(folder.path()), 0755), 0);
        QVERIFY2(contains(message, "Permission denied"), message.c_str());
    }

    void write_noSpace_keepsTheOldFile() {
        const QTemporaryDir folder;
        const Waveform old{{0.25F, 0.5F}, 16000};
        write_wav(in(folder, "a.wav"), old);
        const std::string message = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{8192, 8192};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            return fault(in(folder, "a.wav"), {std::vector<float>(100'000), 16000});
        });
        QVERIFY2(contains(message, "File too large"), message.c_str());
        QCOMPARE(entries(folder), 1);
        QCOMPARE(floatMismatch(decode_file(in(folder, "a.wav")).waveform.samples, old.samples, 0),
                 QString());
    }
};

QTEST_GUILESS_MAIN(TestWavFile)
#include "tst_wav_file.moc"
