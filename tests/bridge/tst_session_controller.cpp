#include "core/formats/safetensors.h"
#include "tests/bridge/support.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace earscope;

namespace {

RequestValue clipRequest(const QString& prompt = QStringLiteral("Describe the track.")) {
    return {prompt, {tinyAudio(QStringLiteral("stereo44.wav"))}};
}

/// Greedy, this one is answered with 1,541 tokens, so that it still runs when it is looked at.
RequestValue longRequest() {
    return {QStringLiteral("Which instruments do you hear?"),
            {tinyAudio(QStringLiteral("float16k.wav"))}};
}

/// A text prompt is quick to prefill; its answer has 89 tokens.
RequestValue textRequest() {
    return {QStringLiteral("Describe the track in full detail."), {}};
}

int countOf(const std::vector<TokenValue>& rows, TokenClass tokenClass) {
    return static_cast<int>(std::count_if(
        rows.begin(), rows.end(),
        [tokenClass](const TokenValue& row) { return row.tokenClass == tokenClass; }));
}

std::vector<float> floatsOf(const TensorView& view) {
    std::vector<float> values(view.bytes / sizeof(float));
    std::memcpy(values.data(), view.data, view.bytes);
    return values;
}

}  // namespace

class TestSessionController : public QObject {
    Q_OBJECT

    std::unique_ptr<SessionController> controller_;
    std::unique_ptr<Recorder> recorder_;

    void loadTiny() {
        QCOMPARE(recorder_->waitFor(controller_->load(tinyLoad())), QStringLiteral("loaded"));
    }

private Q_SLOTS:
    void init() {
        controller_ = std::make_unique<SessionController>();
        recorder_ = std::make_unique<Recorder>(*controller_);
    }
    void cleanup() {
        QVERIFY(recorder_->eachEndedOnce());
        QVERIFY(!recorder_->endedBeforeStream);
        controller_.reset();
        recorder_.reset();
    }

    void load_tinySnapshot_describesTheModel() {
        loadTiny();
        const ModelValue& model = recorder_->model;
        QCOMPARE(model.family, QStringLiteral("Music Flamingo"));
        QVERIFY(model.usesWindows);
        QCOMPARE(model.device, QStringLiteral("cpu"));
        QCOMPARE(model.dtype, QStringLiteral("float32"));
        QCOMPARE(model.attention, QStringLiteral("sdpa"));
        QCOMPARE(model.layers, 4);
        QCOMPARE(model.hiddenSize, 96);
        QCOMPARE(model.audioWidth, 64);
        QCOMPARE(model.contextLength, 32768);
        QCOMPARE(model.defaultBudget, 16384);
        QVERIFY(!model.untrained);
        QVERIFY(model.weightBytes > 0);
        QCOMPARE(model.modules.front().name, QString());
        QCOMPARE(model.modules.front().className,
                 QStringLiteral("MusicFlamingoForConditionalGeneration"));
        QCOMPARE(model.modules.front().parameters, model.parameters);
        QVERIFY(model.parameters > 0);
        const auto head = std::find_if(
            model.modules.begin(), model.modules.end(),
            [](const ModuleEntry& entry) { return entry.name == QLatin1String("lm_head"); });
        QVERIFY(head != model.modules.end());
        QCOMPARE(head->parameters, qint64{1010 * 96});
    }

    void load_demo_isTrainedAndHasACard() {
        LoadJob job = tinyLoad();
        job.folder = QStringLiteral("demo");
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("loaded"));
        QVERIFY(!recorder_->model.untrained);
        QVERIFY(!recorder_->model.card.isEmpty());
        QVERIFY(recorder_->model.folder.endsWith(QStringLiteral("music-flamingo")));
    }

    void load_refused_failsWithItsKind_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("kind");
        const auto kind = [](FailureKind k) { return static_cast<int>(k); };
        QTest::newRow("no such folder")
            << QStringLiteral("/nowhere/at/all") << QStringLiteral("float32")
            << QStringLiteral("cpu") << kind(FailureKind::Snapshot);
        QTest::newRow("no snapshot")
            << QStringLiteral(EARSCOPE_FIXTURES) << QStringLiteral("float32")
            << QStringLiteral("cpu") << kind(FailureKind::Snapshot);
        QTest::newRow("unknown dtype") << tinySnapshot() << QStringLiteral("int4")
                                       << QStringLiteral("cpu") << kind(FailureKind::Request);
        QTest::newRow("absent device") << tinySnapshot() << QStringLiteral("float32")
                                       << QStringLiteral("cuda:99") << kind(FailureKind::Device);
    }
    void load_refused_failsWithItsKind() {
        QFETCH(QString, folder);
        QFETCH(QString, dtype);
        QFETCH(QString, device);
        QFETCH(int, kind);
        LoadJob job;
        job.folder = folder;
        job.dtype = dtype;
        job.device = device;
        const JobId id = controller_->load(job);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QCOMPARE(static_cast<int>(recorder_->endingOf(id).failure.kind), kind);
        QVERIFY(!recorder_->endingOf(id).failure.message.isEmpty());
        QCOMPARE(recorder_->lost, 0);
    }

    void load_refusedAfterAGoodOne_keepsTheModel() {
        loadTiny();
        LoadJob job = tinyLoad();
        job.folder = QStringLiteral("/nowhere/at/all");
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("failed"));
        QCOMPARE(recorder_->lost, 0);
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(textRequest()))),
                 QStringLiteral("prepared"));
    }

    void load_failingLate_saysThatTheModelIsGone() {
        loadTiny();
        LoadJob job = tinyLoad();
        job.device = QStringLiteral("cuda:99");
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("failed"));
        QCOMPARE(recorder_->lost, 1);
        const JobId id = controller_->prepare(prepareJob(textRequest()));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QVERIFY(recorder_->endingOf(id).failure.kind == FailureKind::Request);
    }

    void jobs_withoutAModel_fail() {
        const std::vector<JobId> ids = {
            controller_->prepare(prepareJob(textRequest())),
            controller_->generate(generateJob(textRequest(), 4)),
            controller_->extract(extractJob(clipRequest())),
            controller_->exportTensors(exportJob(
                clipRequest(), QDir::temp().filePath(QStringLiteral("earscope-none.npz"))))};
        for (const JobId id : ids) {
            QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
            QVERIFY(recorder_->endingOf(id).failure.kind == FailureKind::Request);
        }
    }

    void unload_thenPrepare_fails() {
        loadTiny();
        QCOMPARE(recorder_->waitFor(controller_->unload()), QStringLiteral("unloaded"));
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(textRequest()))),
                 QStringLiteral("failed"));
    }

    void prepare_twoSources_showsWhatTheModelGets() {
        loadTiny();
        const RequestValue request{
            QStringLiteral("Compare them."),
            {tinyAudio(QStringLiteral("stereo44.wav")), tinyAudio(QStringLiteral("mono11.wav"))}};
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(request))),
                 QStringLiteral("prepared"));
        const PreparedValue& value = recorder_->prepared;
        QCOMPARE(value.promptWithMarkers,
                 promptWithDefaultMarkers(request.prompt, 2, recorder_->model.family));
        QVERIFY(value.expandedPrompt.contains(QStringLiteral("<|sound_bos|><sound>")));
        QCOMPARE(value.promptTokens, static_cast<int>(value.tokens.size()));
        QCOMPARE(value.contextLength, 32768);
        QCOMPARE(countOf(value.tokens, TokenClass::Audio), value.audioTokens);
        QCOMPARE(countOf(value.tokens, TokenClass::Boundary), 4);
        QCOMPARE(countOf(value.tokens, TokenClass::Padding), 0);
        QCOMPARE(value.sources.size(), std::size_t{2});
        for (std::size_t a = 0; a < 2; ++a) {
            const PreparedSource& source = value.sources[a];
            QCOMPARE(source.path, request.audioPaths[static_cast<int>(a)]);
            QCOMPARE(source.tokens,
                     expectedAudioTokens(source.durationSeconds, recorder_->model.family));
            QCOMPARE(source.windowTokens, std::vector<int>{source.tokens});
            QCOMPARE(source.secondsPerToken, 0.04);
            const auto frames = static_cast<qint64>(std::ceil(source.durationSeconds * 100 - 1e-6));
            QCOMPARE(source.mel.shape, (std::vector<qint64>{128, frames}));
            QVERIFY(std::all_of(source.mel.data->begin(), source.mel.data->end(),
                                [](float v) { return std::isfinite(v) && v >= -1.5F; }));
            QCOMPARE(static_cast<int>(source.tokenPositions.size()), source.tokens);
            for (std::size_t i = 0; i < source.tokenPositions.size(); ++i) {
                const TokenValue& row =
                    value.tokens[static_cast<std::size_t>(source.tokenPositions[i])];
                QVERIFY(row.tokenClass == TokenClass::Audio);
                QCOMPARE(row.source, static_cast<int>(a));
                QCOMPARE(row.slotRow, static_cast<int>(i));
                QCOMPARE(row.startSeconds, source.tokenSeconds[i]);
                QVERIFY(std::abs(row.startSeconds - 0.04 * static_cast<double>(i)) < 1e-5);
            }
        }
    }

    void prepare_refusedRequests_failWithTheirKind_data() {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QStringList>("audios");
        QTest::addColumn<int>("kind");
        const auto kind = [](FailureKind k) { return static_cast<int>(k); };
        const QString clip = tinyAudio(QStringLiteral("stereo44.wav"));
        QTest::newRow("control token")
            << QStringLiteral("<|im_end|>") << QStringList() << kind(FailureKind::Request);
        QTest::newRow("markers") << QStringLiteral("<audio> <audio>") << QStringList{clip}
                                 << kind(FailureKind::Request);
        QTest::newRow("six") << QStringLiteral("x")
                             << QStringList{clip, clip, clip, clip, clip, clip}
                             << kind(FailureKind::Request);
        QTest::newRow("missing file")
            << QStringLiteral("x") << QStringList{tinyAudio(QStringLiteral("missing.wav"))}
            << kind(FailureKind::Audio);
    }
    void prepare_refusedRequests_failWithTheirKind() {
        QFETCH(QString, prompt);
        QFETCH(QStringList, audios);
        QFETCH(int, kind);
        loadTiny();
        const JobId id = controller_->prepare(prepareJob({prompt, audios}));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QCOMPARE(static_cast<int>(recorder_->endingOf(id).failure.kind), kind);
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(clipRequest()))),
                 QStringLiteral("prepared"));
    }

    void generate_clip_streamsTheAnswer() {
        loadTiny();
        const RequestValue request = clipRequest();
        const JobId id = controller_->generate(generateJob(request, 24));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("generated"));
        const GenerationValue& value = recorder_->generated;
        QCOMPARE(recorder_->streamedText(id), value.text);
        QVERIFY(value.finish == QLatin1String("eos") || value.finish == QLatin1String("length"));
        QVERIFY(!value.tokens.empty() && value.tokens.size() <= 24);
        QCOMPARE(value.tokens.front().position, value.promptTokens);
        QCOMPARE(recorder_->streams.back().tokens, static_cast<int>(value.tokens.size()));
        QCOMPARE(value.budget, 24);
        QCOMPARE(value.request.audioPaths, request.audioPaths);
    }

    void generate_again_givesTheSameAnswer() {
        loadTiny();
        QStringList texts;
        for (const auto& profile :
             {QStringLiteral("paper_reference"), QStringLiteral("generic_sampled")}) {
            for (int i = 0; i < 2; ++i) {
                GenerateJob job = generateJob(clipRequest(), 16);
                job.profile = profile;
                QCOMPARE(recorder_->waitFor(controller_->generate(job)),
                         QStringLiteral("generated"));
                texts.append(recorder_->generated.text);
            }
        }
        QCOMPARE(texts[0], texts[1]);
        QCOMPARE(texts[2], texts[3]);
    }

    void generate_unknownProfileOrNoRoom_fails() {
        loadTiny();
        GenerateJob job = generateJob(textRequest(), 4);
        job.profile = QStringLiteral("creative");
        const JobId unknown = controller_->generate(job);
        QCOMPARE(recorder_->waitFor(unknown), QStringLiteral("failed"));
        QVERIFY(recorder_->endingOf(unknown).failure.kind == FailureKind::Request);
    }

    void generate_fileDeletedAfterPrepare_usesThePreparedSamples() {
        loadTiny();
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("clip.wav"));
        QVERIFY(QFile::copy(tinyAudio(QStringLiteral("stereo44.wav")), path));
        const RequestValue request{QStringLiteral("Describe the track."), {path}};
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(request))),
                 QStringLiteral("prepared"));
        QVERIFY(QFile::remove(path));
        QCOMPARE(recorder_->waitFor(controller_->generate(generateJob(request, 8))),
                 QStringLiteral("generated"));
        const QString text = recorder_->generated.text;
        QCOMPARE(recorder_->waitFor(controller_->extract(extractJob(request))),
                 QStringLiteral("extracted"));
        QCOMPARE(recorder_->waitFor(controller_->generate(generateJob(clipRequest(), 8))),
                 QStringLiteral("generated"));
        QCOMPARE(recorder_->generated.text, text);
        // Asked to prepare it anew, the missing file is said, and old samples are not used again.
        for (const JobId id : {controller_->prepare(prepareJob(request)),
                               controller_->generate(generateJob(request, 8))}) {
            QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
            QVERIFY(recorder_->endingOf(id).failure.kind == FailureKind::Audio);
        }
    }

    void extractAndExport_readBack_isWhatWasShown() {
        loadTiny();
        const RequestValue request{
            QStringLiteral("Compare them."),
            {tinyAudio(QStringLiteral("stereo44.wav")), tinyAudio(QStringLiteral("mono11.wav"))}};
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(request))),
                 QStringLiteral("prepared"));
        QCOMPARE(recorder_->waitFor(controller_->extract(extractJob(request))),
                 QStringLiteral("extracted"));
        const QTemporaryDir folder;
        ExportJob job = exportJob(request, folder.filePath(QStringLiteral("out.safetensors")));
        job.contextualLayers = {0, -1};
        QCOMPARE(recorder_->waitFor(controller_->exportTensors(job)), QStringLiteral("exported"));
        QCOMPARE(recorder_->exported.bytes, QFileInfo(job.file).size());
        const auto file = SafetensorsFile::open(job.file.toStdString());
        QCOMPARE(static_cast<std::size_t>(recorder_->exported.tensors.size()),
                 file.tensors().size());
        for (std::size_t a = 0; a < 2; ++a) {
            const std::string index = std::to_string(a);
            const SourceEmbeddings& shown = recorder_->extracted.sources.at(a);
            QCOMPARE(shown.path, request.audioPaths[static_cast<int>(a)]);
            const qint64 rows = recorder_->prepared.sources.at(a).tokens;
            QCOMPARE(shown.raw.shape, (std::vector<qint64>{rows, 64}));
            QCOMPARE(shown.projected.shape, (std::vector<qint64>{rows, 96}));
            QCOMPARE(floatsOf(file.tensors().at("raw." + index)), *shown.raw.data);
            QCOMPARE(floatsOf(file.tensors().at("projected." + index)), *shown.projected.data);
            QCOMPARE(file.tensors().at("contextual.-1." + index).shape,
                     (std::vector<std::int64_t>{rows, 96}));
            // Layer 0 is the decoder's input: at the audio positions these are the projected rows.
            QCOMPARE(floatsOf(file.tensors().at("contextual.0." + index)), *shown.projected.data);
        }
        const auto manifest = nlohmann::json::parse(file.metadata().at("earscope"));
        QCOMPARE(manifest.at("family").get<std::string>(), std::string("Music Flamingo"));
        QCOMPARE(manifest.at("slots").size(), std::size_t{2});
        QVERIFY(manifest.at("profile").is_null());
    }

    void export_afterGenerating_tellsTheProfile() {
        loadTiny();
        const QTemporaryDir folder;
        const ExportJob job = exportJob(clipRequest(), folder.filePath(QStringLiteral("o.npz")));
        controller_->generate(generateJob(clipRequest(), 4));
        QCOMPARE(recorder_->waitFor(controller_->exportTensors(job)), QStringLiteral("exported"));
        QVERIFY(recorder_->exported.tensors.contains(QStringLiteral("projected.0")));
        QVERIFY(QFileInfo(job.file).size() > 0);
    }

    void export_refusedTargets_failBeforeAnythingRuns_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        QTest::newRow("folder missing")
            << QStringLiteral("no/out.npz") << static_cast<int>(FailureKind::Export);
        QTest::newRow("ending") << QStringLiteral("out.csv")
                                << static_cast<int>(FailureKind::Export);
    }
    void export_refusedTargets_failBeforeAnythingRuns() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        loadTiny();
        const QTemporaryDir folder;
        const JobId id =
            controller_->exportTensors(exportJob(clipRequest(), folder.filePath(name)));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QCOMPARE(static_cast<int>(recorder_->endingOf(id).failure.kind), kind);
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void queue_manyJobs_endInTheOrderGiven() {
        const std::vector<JobId> ids = {controller_->load(tinyLoad()),
                                        controller_->prepare(prepareJob(clipRequest())),
                                        controller_->generate(generateJob(clipRequest(), 6)),
                                        controller_->extract(extractJob(clipRequest())),
                                        controller_->generate(generateJob(textRequest(), 6)),
                                        controller_->unload()};
        QVERIFY(controller_->isBusy());
        QCOMPARE(recorder_->waitFor(ids.back()), QStringLiteral("unloaded"));
        QCOMPARE(recorder_->endings.size(), ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            QCOMPARE(recorder_->endings[i].id, ids[i]);
        }
        QVERIFY(!controller_->isBusy());
        QCOMPARE(recorder_->busyChanges, (std::vector<bool>{true, false}));
    }

    void cancel_runningAndWaiting_endsBoth() {
        loadTiny();
        const JobId running = controller_->generate(generateJob(longRequest(), 16000));
        const JobId waiting = controller_->generate(generateJob(textRequest(), 16000));
        const JobId wanted = controller_->prepare(prepareJob(textRequest()));
        QTRY_VERIFY_WITH_TIMEOUT(!recorder_->streamedText(running).isEmpty(), 30'000);
        controller_->cancel(waiting);
        QElapsedTimer timer;
        timer.start();
        controller_->cancel(running);
        QCOMPARE(recorder_->waitFor(running), QStringLiteral("cancelled"));
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(recorder_->waitFor(waiting), QStringLiteral("cancelled"));
        QCOMPARE(recorder_->waitFor(wanted), QStringLiteral("prepared"));
        QVERIFY(recorder_->streamedText(waiting).isEmpty());
        controller_->cancel(running);  // ended long ago
        controller_->cancel(12345);
    }

    void cancelAll_beforeAnythingStarted_cancelsEverything() {
        std::vector<JobId> ids;
        ids.push_back(controller_->load(tinyLoad()));
        ids.push_back(controller_->generate(generateJob(textRequest(), 100)));
        ids.push_back(controller_->unload());
        controller_->cancelAll();
        for (const JobId id : ids) {
            QCOMPARE(recorder_->waitFor(id), QStringLiteral("cancelled"));
        }
    }

    void cancel_atRandomTimes_endsOnceAndTheNextRunIsTheSame() {
        loadTiny();
        QCOMPARE(recorder_->waitFor(controller_->generate(generateJob(clipRequest(), 12))),
                 QStringLiteral("generated"));
        const QString fresh = recorder_->generated.text;
        std::mt19937 random(3407);
        int cancelled = 0;
        for (int i = 0; i < 20; ++i) {
            controller_->prepare(prepareJob(clipRequest()));
            const JobId id = controller_->generate(generateJob(clipRequest(), 2000));
            QTest::qWait(static_cast<int>(random() % 60));
            controller_->cancelAll();
            cancelled += recorder_->waitFor(id) == QLatin1String("cancelled") ? 1 : 0;
        }
        QVERIFY(cancelled > 10);
        QCOMPARE(recorder_->waitFor(controller_->generate(generateJob(clipRequest(), 12))),
                 QStringLiteral("generated"));
        QCOMPARE(recorder_->generated.text, fresh);
    }

    void destroy_inMidRun_joinsQuicklyAndSaysNothing() {
        loadTiny();
        const JobId id = controller_->generate(generateJob(textRequest(), 16000));
        controller_->generate(generateJob(textRequest(), 16000));
        QTRY_VERIFY_WITH_TIMEOUT(!recorder_->streamedText(id).isEmpty(), 30'000);
        const auto before = recorder_->endings.size();
        QElapsedTimer timer;
        timer.start();
        controller_ = nullptr;
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QTest::qWait(50);
        QCOMPARE(recorder_->endings.size(), before);
    }

    void destroy_atRandomTimes_neverHangs() {
        std::mt19937 random(3407);
        qint64 slowest = 0;
        for (int i = 0; i < 30; ++i) {
            auto controller = std::make_unique<SessionController>();
            controller->load(tinyLoad());
            controller->prepare(prepareJob(clipRequest()));
            controller->generate(generateJob(clipRequest(), 16000));
            QTest::qWait(static_cast<int>(random() % 150));
            QElapsedTimer timer;
            timer.start();
            controller.reset();
            slowest = std::max(slowest, timer.elapsed());
        }
        qInfo("slowest join: %lld ms", slowest);
        QVERIFY(slowest < 1000);
    }

    void thread_ofTheModel_givesWayToTheWindow() {
        loadTiny();
        int own = 0;
        int computing = -100;
        QDir tasks(QStringLiteral("/proc/self/task"));
        for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile file(tasks.filePath(task + QStringLiteral("/stat")));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray stat = file.readAll();
            // "tid (name) state ppid ...": niceness is the 17th field behind the name.
            const int nice = stat.mid(stat.lastIndexOf(')') + 2).split(' ').at(16).toInt();
            if (stat.contains("(inference)")) {
                computing = nice;
            } else if (task.toLongLong() == QCoreApplication::applicationPid()) {
                own = nice;
            }
        }
        QCOMPARE(computing, std::min(own + 5, 19));
    }

    void prepare_loneSurrogate_isReplacedVisiblyOrRefused() {
        loadTiny();
        const QString prompt = QStringLiteral("a") + QChar(u'\xd800') + QStringLiteral("b");
        const JobId id = controller_->prepare(prepareJob({prompt, {}}));
        if (recorder_->waitFor(id) == QLatin1String("failed")) {
            QVERIFY(recorder_->endingOf(id).failure.kind == FailureKind::Request);
        } else {
            QVERIFY(
                recorder_->prepared.promptWithMarkers.contains(QChar(QChar::ReplacementCharacter)));
        }
    }

    void run_longJobs_neverHoldTheCallersLoop() {
        const Heartbeat heartbeat;
        QElapsedTimer clock;
        clock.start();
        controller_->load(tinyLoad());
        controller_->prepare(prepareJob(clipRequest()));
        controller_->extract(extractJob(clipRequest()));
        const JobId id = controller_->generate(generateJob(longRequest(), 2000));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("generated"));
        const double seconds = static_cast<double>(clock.elapsed()) / 1000.0;
        qInfo(
            "%.2f s of work: longest wait of the caller's loop %lld ms, %zu text and %zu progress "
            "events",
            seconds, heartbeat.longestMs(), recorder_->streams.size(), recorder_->progress.size());
        QVERIFY(heartbeat.longestMs() < 100);
        QVERIFY(!recorder_->progress.empty());
        // 20 a second, and one that the end of the job brings out
        QVERIFY(static_cast<double>(recorder_->progress.size()) <= 20.0 * seconds + 1);
        QVERIFY(static_cast<double>(recorder_->streams.size()) <= 20.0 * seconds + 2);
    }
};

QTEST_GUILESS_MAIN(TestSessionController)
#include "tst_session_controller.moc"
