#include "tests/bridge/support.h"

#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <random>

using namespace earscope;

namespace {

constexpr int kTimes = 200;

RequestValue requestOf() {
    return {QStringLiteral("Compare them."),
            {tinyAudio(QStringLiteral("stereo44.wav")), tinyAudio(QStringLiteral("mono11.wav"))}};
}

/// What a run from the load on gives; compared bit by bit.
struct Run {
    QString greedy;
    QString sampled;
    std::vector<float> projected;

    bool operator==(const Run&) const = default;
};

Run runOf(SessionController& controller, Recorder& recorder, bool withLoad) {
    if (withLoad) {
        recorder.waitFor(controller.load(tinyLoad()));
    }
    Run run;
    recorder.waitFor(controller.generate(generateJob(requestOf(), 10)));
    run.greedy = recorder.generated.text;
    GenerateJob sampled = generateJob(requestOf(), 10);
    sampled.profile = QStringLiteral("generic_sampled");
    recorder.waitFor(controller.generate(sampled));
    run.sampled = recorder.generated.text;
    recorder.waitFor(controller.extract(extractJob(requestOf())));
    for (const SourceEmbeddings& source : recorder.extracted.sources) {
        run.projected.insert(run.projected.end(), source.projected.data->begin(),
                             source.projected.data->end());
    }
    return run;
}

}  // namespace

/// Row R4 of the list of faults: 200 cancels at random times of every kind of work; nothing hangs,
/// every job ends once, and what runs next is what a fresh process gives.
class TestCancelStress : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cancel_atAnyTime_changesNothingThatComesLater() {
        Run fresh;
        {
            SessionController controller;
            Recorder recorder(controller);
            fresh = runOf(controller, recorder, true);
            QVERIFY(!fresh.greedy.isEmpty() && !fresh.projected.empty());
        }
        SessionController controller;
        Recorder recorder(controller);
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.safetensors"));
        std::mt19937 random(3407);
        std::array<int, 2> ends{};
        qint64 slowest = 0;
        const auto start = [&](int kind) {
            switch (kind) {
                case 0:
                    return controller.prepare(prepareJob(requestOf()));
                case 1:
                    return controller.extract(extractJob(requestOf()));
                case 2: {
                    ExportJob job = exportJob(requestOf(), target);
                    job.contextualLayers = {0, -1};
                    return controller.exportTensors(job);
                }
                default:
                    controller.prepare(prepareJob(requestOf()));
                    return controller.generate(generateJob(requestOf(), 1000));
            }
        };
        // How long each kind of work lasts on this machine and in this build, so that the cancels
        // fall into every part of it.
        recorder.waitFor(controller.load(tinyLoad()));
        std::array<unsigned, 4> longest{};
        for (int kind = 0; kind < 4; ++kind) {
            QElapsedTimer timer;
            timer.start();
            recorder.waitFor(start(kind));
            longest[static_cast<std::size_t>(kind)] =
                static_cast<unsigned>(std::clamp<qint64>(timer.elapsed(), 2, 500));
        }
        bool loaded = true;
        for (int i = 0; i < kTimes; ++i) {
            if (!loaded || i % 10 == 0) {
                controller.load(tinyLoad());
            }
            const JobId id = start(i % 4);
            QTest::qWait(static_cast<int>(random() % longest[static_cast<std::size_t>(i % 4)]));
            QElapsedTimer timer;
            timer.start();
            controller.cancelAll();
            const QString how = recorder.waitFor(id);
            slowest = std::max(slowest, timer.elapsed());
            QVERIFY2(!how.isEmpty(), "a job never ended");
            ++ends[how == QLatin1String("cancelled") ? 1 : 0];
            loaded = recorder.waitFor(controller.prepare(prepareJob(
                         {QStringLiteral("Is a model there?"), {}}))) == QLatin1String("prepared");
            if (i % 20 == 19) {
                QVERIFY2(runOf(controller, recorder, !loaded) == fresh,
                         qPrintable(QStringLiteral("differs after cancel %1").arg(i + 1)));
                loaded = true;
            }
        }
        QVERIFY(recorder.eachEndedOnce());
        QVERIFY(!recorder.endedBeforeStream);
        QStringList leftovers =
            QDir(folder.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
        leftovers.removeAll(QStringLiteral("out.safetensors"));
        QVERIFY2(leftovers.isEmpty(), qPrintable(leftovers.join(QLatin1Char(' '))));
        qInfo("%d cancelled, %d done before; slowest end after a cancel: %lld ms", ends[1], ends[0],
              slowest);
        QVERIFY(ends[1] > kTimes / 4);
        QVERIFY(slowest < 1000);
    }
};

QTEST_GUILESS_MAIN(TestCancelStress)
#include "tst_cancel_stress.moc"
