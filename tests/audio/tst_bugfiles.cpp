// Files after bugs that others had: what decoding and resampling must give for each.
#include "audio/decode.h"
#include "audio/resample.h"
#include "tests/support/fixtures.h"
#include "tests/support/float_compare.h"
#include "tests/support/process.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <numeric>

using namespace earscope;
using namespace earscope::test;

namespace {

// Values are compared with those of libsndfile 1.2.2; its MP3 decoder rounds differently.
constexpr double kBound = 1e-6;

std::filesystem::path bugFile(const char* name) {
    return fixture("bugfiles") / name;
}

QJsonObject expected() {
    return readJson(fixture("bugfiles/expected_mf.json"))[QLatin1String("files")].toObject();
}

std::vector<float> numbers(const QJsonValue& list) {
    std::vector<float> values;
    for (const auto& value : list.toArray()) {
        values.push_back(static_cast<float>(value.toDouble()));
    }
    return values;
}

std::span<const float> lastThree(const std::vector<float>& samples) {
    return std::span(samples).last(std::min<std::size_t>(samples.size(), 3));
}

}  // namespace

class TestBugfiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void decode_soundFile_equalsTheReference_data() {
        QTest::addColumn<QJsonObject>("facts");
        const QJsonObject files = expected();
        for (auto file = files.begin(); file != files.end(); ++file) {
            if (file->toObject().contains(QLatin1String("mono")) &&
                file.key() != QLatin1String("BL21_rate_1hz.wav")) {
                QTest::newRow(qPrintable(file.key())) << file->toObject();
            }
        }
    }
    void decode_soundFile_equalsTheReference() {
        QFETCH(QJsonObject, facts);
        const DecodedAudio audio = decode_file(bugFile(QTest::currentDataTag()));
        const auto& samples = audio.waveform.samples;
        QCOMPARE(audio.waveform.sample_rate, facts[QLatin1String("rate")].toInteger());
        QCOMPARE(audio.channels, facts[QLatin1String("channels")].toInt());
        QCOMPARE(static_cast<qint64>(samples.size()),
                 facts[QLatin1String("frames_read")].toInteger());
        const QJsonObject mono = facts[QLatin1String("mono")].toObject();
        QCOMPARE(floatMismatch(std::span(samples).first(3), numbers(mono[QLatin1String("first")]),
                               kBound),
                 QString());
        QCOMPARE(floatMismatch(lastThree(samples), numbers(mono[QLatin1String("last")]), kBound),
                 QString());
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) /
                            static_cast<double>(samples.size());
        QVERIFY(std::abs(static_cast<double>(*low) - mono[QLatin1String("min")].toDouble()) <=
                kBound);
        QVERIFY(std::abs(static_cast<double>(*high) - mono[QLatin1String("max")].toDouble()) <=
                kBound);
        QVERIFY(std::abs(mean - mono[QLatin1String("mean")].toDouble()) <= kBound);

        const QJsonObject resampled = facts[QLatin1String("resample")].toObject();
        const auto heard = resample_poly(samples, audio.waveform.sample_rate);
        QCOMPARE(static_cast<qint64>(heard.size()), resampled[QLatin1String("len16k")].toInteger());
        QCOMPARE(floatMismatch(lastThree(heard), numbers(resampled[QLatin1String("last")]), kBound),
                 QString());
    }

    // A1, BL02
    void bl02_cutMp3_saysWhatIsMissing() {
        const auto audio = decode_file(bugFile("BL02_vbr_xing_cut60.mp3"));
        QCOMPARE(audio.header_frames, std::int64_t{88'200});
        QCOMPARE(audio.notices.back(),
                 std::string("the header says 88,200 frames, 50,735 could be read"));
    }
    void bl02_mp3WithoutTag_doesNotClaimToBeComplete() {
        const auto audio = decode_file(bugFile("BL02_vbr_no_xing.mp3"));
        const std::string& notice = audio.notices.back();
        QVERIFY2(notice.find("18,731 frames (0.42 s)") != std::string::npos, notice.c_str());
        QVERIFY2(notice.find("89,856 (2.04 s)") != std::string::npos, notice.c_str());
    }

    // A1, BL08
    void bl08_wrongDataLength_givesTheSameFrames() {
        const auto plain = decode_file(bugFile("BL08_odd_chunk_before_data.wav"));
        QCOMPARE(plain.waveform.samples.size(), std::size_t{8000});
        QVERIFY(plain.notices.empty());
        QVERIFY(resetPeakMemory());
        const long long before = peakMemory();
        const auto streamed = decode_file(bugFile("BL08_data_ffffffff.wav"));
        const auto longer = decode_file(bugFile("BL08_data_longer_than_file.wav"));
        QVERIFY(peakMemory() - before < (16LL << 20));
        QCOMPARE(floatMismatch(streamed.waveform.samples, plain.waveform.samples, 0), QString());
        QCOMPARE(floatMismatch(longer.waveform.samples, plain.waveform.samples, 0), QString());
        QVERIFY(streamed.notices.empty());
        QVERIFY(longer.notices.back().find("8,000 could be read") != std::string::npos);
        QVERIFY(longer.header_frames > 8000);
    }
    void bl08_zeroDataLength_saysNoSamples() {
        try {
            (void)decode_file(bugFile("BL08_data_zero.wav"));
            QFAIL("accepted");
        } catch (const AudioError& error) {
            QVERIFY2(
                std::string(error.what())
                        .find("it holds no samples by its header, although 16,000 bytes follow") !=
                    std::string::npos,
                error.what());
        }
    }

    // BL05: what is beyond full scale stays.
    void bl05_floatPeak_isKept() {
        const auto samples = decode_file(bugFile("BL05_float_peak3.wav")).waveform.samples;
        QCOMPARE(*std::max_element(samples.begin(), samples.end()), 3.8036019802093506F);
    }

    // A2, BL21
    void bl21_hostileHeader_isRefusedQuicklyInLittleMemory_data() {
        QTest::addColumn<QString>("name");
        int found = 0;
        for (const auto& entry : std::filesystem::directory_iterator(fixture("bugfiles"))) {
            const QString name = QString::fromStdString(entry.path().filename().string());
            if (name.startsWith(QLatin1String("BL21_"))) {
                QTest::newRow(qPrintable(name)) << name;
                ++found;
            }
        }
        QCOMPARE(found, 11);
    }
    void bl21_hostileHeader_isRefusedQuicklyInLittleMemory() {
        QFETCH(QString, name);
        QVERIFY(resetPeakMemory());
        const long long before = peakMemory();
        QElapsedTimer clock;
        clock.start();
        std::string message;
        try {
            (void)decode_file(bugFile(qPrintable(name)));
        } catch (const AudioError& error) {
            message = error.what();
        }
        QVERIFY(clock.elapsed() < 1000);
        QVERIFY(peakMemory() - before < (64LL << 20));
        QVERIFY2(message.find(name.toStdString()) != std::string::npos, message.c_str());
        if (name == QLatin1String("BL21_rate_1hz.wav")) {
            QVERIFY2(message.find("1 Hz, 1,000 to 768,000 Hz") != std::string::npos,
                     message.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestBugfiles)
#include "tst_bugfiles.moc"
