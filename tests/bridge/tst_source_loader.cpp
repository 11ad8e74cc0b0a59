#include "audio/wav_file.h"
#include "tests/bridge/support.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <cmath>
#include <limits>

using namespace earscope;

namespace {

/// A mono float WAV of a ramp, with one sample replaced.
QString writeRamp(const QTemporaryDir& folder, const QString& name, std::size_t samples,
                  float odd = 0.5F) {
    Waveform waveform;
    waveform.sample_rate = 8000;
    waveform.samples.resize(samples);
    for (std::size_t i = 0; i < samples; ++i) {
        waveform.samples[i] = static_cast<float>(i % 100) / 200.0F;
    }
    waveform.samples[samples / 2] = odd;
    QString path = folder.filePath(name);
    write_wav(QFile::encodeName(path).toStdString(), waveform);
    return path;
}

}  // namespace

class TestSourceLoader : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void load_wavFile_givesSamplesAndPeaks() {
        const QTemporaryDir folder;
        const QString path =
            writeRamp(folder, QString::fromUtf8("Klang ü 音楽 #1 %23.wav"), 12000, -0.75F);
        SourceLoader loader;
        QSignalSpy loaded(&loader, &SourceLoader::loaded);
        const JobId id = loader.load(path);
        QVERIFY(loaded.wait(10'000));
        const auto source = loaded.at(0).at(0).value<SourceValue>();
        QCOMPARE(source.id, id);
        QCOMPARE(source.path, path);
        QCOMPARE(source.sampleRate, 8000);
        QCOMPARE(source.channels, 1);
        QCOMPARE(source.durationSeconds, 1.5);
        QCOMPARE(source.mono->size(), std::size_t{12000});
        QCOMPARE(source.mono->at(6000), -0.75F);
        QCOMPARE(source.peaks->sample_count(), std::int64_t{12000});
        const auto peaks = source.peaks->columns(*source.mono, 0, 12000, 3);
        QCOMPARE(peaks.at(1).min, -0.75F);
        QVERIFY(source.format.contains(QStringLiteral("WAV")));
    }

    void load_refusedFiles_failOnceWithTheName_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("missing") << QStringLiteral("missing.wav");
        QTest::newRow("directory") << QStringLiteral("folder.wav");
        QTest::newRow("text") << QStringLiteral("text.wav");
        QTest::newRow("not a number") << QStringLiteral("nan.wav");
    }
    void load_refusedFiles_failOnceWithTheName() {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        QVERIFY(QDir().mkpath(folder.filePath(QStringLiteral("folder.wav"))));
        QFile text(folder.filePath(QStringLiteral("text.wav")));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("not a sound file, only words\n");
        text.close();
        writeRamp(folder, QStringLiteral("nan.wav"), 1000, std::numeric_limits<float>::quiet_NaN());
        SourceLoader loader;
        QSignalSpy loaded(&loader, &SourceLoader::loaded);
        QSignalSpy failed(&loader, &SourceLoader::failed);
        const JobId id = loader.load(folder.filePath(name));
        QVERIFY(failed.wait(10'000));
        QCOMPARE(failed.at(0).at(0).value<JobId>(), id);
        const auto failure = failed.at(0).at(1).value<Failure>();
        QVERIFY(failure.kind == FailureKind::Audio);
        QVERIFY2(failure.message.contains(name), qPrintable(failure.message));
        QTest::qWait(30);
        QCOMPARE(failed.count(), 1);
        QCOMPARE(loaded.count(), 0);
    }

    void load_several_endInOrderAndNeverHoldTheCaller() {
        const QTemporaryDir folder;
        QStringList paths;
        for (int i = 0; i < 4; ++i) {
            // 20 minutes at 8 kHz
            paths.append(writeRamp(folder, QStringLiteral("%1.wav").arg(i), 1200 * 8000));
        }
        SourceLoader loader;
        QSignalSpy loaded(&loader, &SourceLoader::loaded);
        std::vector<JobId> ids;
        const Heartbeat heartbeat;
        for (const QString& path : paths) {
            ids.push_back(loader.load(path));
        }
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 4, 60'000);
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(loaded.at(i).at(0).value<SourceValue>().id, ids[static_cast<std::size_t>(i)]);
        }
        qInfo("longest wait of the caller's event loop: %lld ms in %d turns", heartbeat.longestMs(),
              heartbeat.beats());
        QVERIFY(heartbeat.longestMs() < 100);
    }

    void cancel_waitingLoads_endWithoutASignal() {
        const QTemporaryDir folder;
        const QString path = writeRamp(folder, QStringLiteral("long.wav"), 1200 * 8000);
        SourceLoader loader;
        QSignalSpy loaded(&loader, &SourceLoader::loaded);
        QSignalSpy failed(&loader, &SourceLoader::failed);
        loader.load(path);
        const JobId second = loader.load(path);
        const JobId third = loader.load(path);
        loader.cancel(second);
        QTRY_VERIFY_WITH_TIMEOUT(
            !loaded.isEmpty() && loaded.last().at(0).value<SourceValue>().id == third, 60'000);
        QCOMPARE(loaded.count(), 2);
        QCOMPARE(failed.count(), 0);
    }

    void destroy_whileLoading_joinsQuickly() {
        const QTemporaryDir folder;
        const QString path = writeRamp(folder, QStringLiteral("long.wav"), 1200 * 8000);
        QElapsedTimer timer;
        {
            SourceLoader loader;
            loader.load(path);
            loader.load(path);
            QTest::qWait(10);
            timer.start();
        }
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestSourceLoader)
#include "tst_source_loader.moc"
