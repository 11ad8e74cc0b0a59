// Two runs of one request, one model after the other.
#include "core/compare/comparison.h"
#include "tests/bridge/support.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <filesystem>

using namespace earscope;

namespace {

QString mossSnapshot() {
    return QStringLiteral(EARSCOPE_FIXTURES "/moss-tiny/snapshot");
}

RequestValue clipRequest() {
    return {QStringLiteral("Describe the track."), {tinyAudio(QStringLiteral("stereo44.wav"))}};
}

CompareJob bothProfiles(int budget = 12) {
    CompareJob job;
    job.request = clipRequest();
    job.a.maxNewTokens = budget;
    job.b.profile = QStringLiteral("generic_sampled");
    job.b.maxNewTokens = budget;
    return job;
}

CompareJob bothFamilies(int budget = 12) {
    CompareJob job = bothProfiles(budget);
    job.b.profile = job.a.profile;
    job.b.folder = mossSnapshot();
    return job;
}

float largestDifference(const TensorValue& one, const TensorValue& other) {
    float largest = 0;
    for (std::size_t i = 0; i < one.data->size(); ++i) {
        largest = std::max(largest, std::abs((*one.data)[i] - (*other.data)[i]));
    }
    return largest;
}

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT

    std::unique_ptr<SessionController> controller_;
    std::unique_ptr<Recorder> recorder_;
    std::vector<ComparedValue> compared_;

    void load(const QString& folder = tinySnapshot()) {
        LoadJob job = tinyLoad();
        job.folder = folder;
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("loaded"));
    }
    QString run(const CompareJob& job) { return recorder_->waitFor(controller_->compare(job)); }
    /// @return the record of the same run by `generate`
    RunPointer generateAlone(const QString& profile, int budget = 12) {
        GenerateJob job = generateJob(clipRequest(), budget);
        job.profile = profile;
        return recorder_->waitFor(controller_->generate(job)) == QLatin1String("generated")
                   ? recorder_->generated.record
                   : nullptr;
    }
    const ComparedValue& last() const { return compared_.back(); }

private Q_SLOTS:
    void init() {
        controller_ = std::make_unique<SessionController>();
        recorder_ = std::make_unique<Recorder>(*controller_);
        compared_.clear();
        connect(controller_.get(), &SessionController::compared, this,
                [this](const ComparedValue& value) { compared_.push_back(value); });
    }
    void cleanup() {
        QVERIFY(recorder_->eachEndedOnce());
        controller_.reset();
        recorder_.reset();
    }

    void generate_any_leavesARecordOfItself() {
        load();
        const RunPointer run = generateAlone(QStringLiteral("generic_sampled"));
        QVERIFY(run);
        QCOMPARE(QString::fromStdString(run->text), recorder_->generated.text);
        QCOMPARE(run->tokens.size(), recorder_->generated.tokens.size());
        QCOMPARE(run->family, std::string("Music Flamingo"));
        QCOMPARE(run->profile, std::string("generic_sampled"));
        QVERIFY(run->sample);
        QCOMPARE(run->max_new_tokens, 12);
        QCOMPARE(run->seed, std::uint64_t{3407});
        QCOMPARE(run->input_ids.size(), std::size_t(recorder_->generated.promptTokens));
        QCOMPARE(run->sources.size(), std::size_t{1});
        QCOMPARE(run->sources[0].digest.size(), std::size_t{64});
        QVERIFY(!run->weights_digest.empty());
        QVERIFY(run->chunk_padding.empty());
    }

    void compare_bothProfiles_givesWhatGenerateGives() {
        load();
        const RunPointer greedy = generateAlone(QStringLiteral("paper_reference"));
        const RunPointer sampled = generateAlone(QStringLiteral("generic_sampled"));
        QCOMPARE(run(bothProfiles()), QStringLiteral("compared"));
        QCOMPARE(last().a->text, greedy->text);
        QCOMPARE(last().b->text, sampled->text);
        const Comparison comparison = compare_runs(*last().a, *last().b);
        QCOMPARE(precondition_line(comparison),
                 std::string("same input ids · same audio · same weights"));
        QVERIFY(comparison.first_divergence);
        QVERIFY(last().statesA.sources.empty());
        QVERIFY(last().modelLost.isEmpty());
        QCOMPARE(recorder_->lost, 0);
    }

    void compare_changedCopy_hasItsOwnNameAndText() {
        load();
        CompareJob job = bothProfiles();
        job.a.profile = QStringLiteral("generic_sampled");
        job.b.changed = SamplingValue{true, 1e-6, 1, 0};  // as good as greedy
        const RunPointer greedy = generateAlone(QStringLiteral("paper_reference"));
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(last().a->profile, std::string("generic_sampled"));
        QCOMPARE(last().b->profile, std::string("generic_sampled (changed)"));
        QCOMPARE(last().b->text, greedy->text);
    }

    void compare_bothFamilies_bringsTheFirstModelBack() {
        load();
        const RunPointer before = generateAlone(QStringLiteral("paper_reference"));
        CompareJob job = bothFamilies();
        job.states = true;
        job.layers = {0, 2, 99};
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(last().a->text, before->text);
        QCOMPARE(last().b->family, std::string("MOSS-Music"));
        QCOMPARE(last().b->chunk_padding, std::string("reference"));
        const Comparison comparison = compare_runs(*last().a, *last().b);
        QVERIFY(comparison.same_audio);
        QVERIFY(!comparison.same_weights);
        QVERIFY(comparison.weights_compared);
        QCOMPARE(last().statesA.layers, (std::vector<int>{0, 2}));
        QCOMPARE(last().statesA.hidden.at(0).size(), std::size_t{2});
        QCOMPARE(last().statesA.hidden[0][1].rows(), last().a->sources[0].tokens);
        QCOMPARE(last().statesB.sources.at(0).deepstackProjected.size(), std::size_t{3});
        QCOMPARE(recorder_->lost, 0);
        // The model of before answers as before, and MOSS alone as in its column.
        QCOMPARE(generateAlone(QStringLiteral("paper_reference"))->text, before->text);
        const RunPointer moss = last().b;
        load(mossSnapshot());
        QCOMPARE(recorder_->model.chunkPadding, QStringLiteral("reference"));
        QCOMPARE(generateAlone(QStringLiteral("paper_reference"))->text, moss->text);
    }

    void compare_states_areThoseOfExtract() {
        load();
        CompareJob job = bothProfiles();
        job.states = true;
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(recorder_->waitFor(controller_->extract(extractJob(clipRequest()))),
                 QStringLiteral("extracted"));
        const TensorValue& wanted = recorder_->extracted.sources.at(0).projected;
        for (const RunStates* states : {&last().statesA, &last().statesB}) {
            QCOMPARE(states->sources.at(0).projected.shape, wanted.shape);
            QCOMPARE(largestDifference(states->sources[0].projected, wanted), 0.0F);
        }
    }

    void compare_twoFoldersAndNoModel_leavesNone() {
        CompareJob job = bothFamilies();
        job.a.folder = tinySnapshot();
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(recorder_->lost, 0);
        const JobId prepared = controller_->prepare(prepareJob(clipRequest()));
        QCOMPARE(recorder_->waitFor(prepared), QStringLiteral("failed"));
    }

    void compare_copyOfTheSnapshot_knowsItsWeights() {
        const QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("copy"));
        std::filesystem::copy(tinySnapshot().toStdString(), copy.toStdString(),
                              std::filesystem::copy_options::recursive);
        load();
        CompareJob job = bothFamilies();
        job.b.folder = copy;
        QCOMPARE(run(job), QStringLiteral("compared"));
        const Comparison comparison = compare_runs(*last().a, *last().b);
        QVERIFY(comparison.same_weights);
        QCOMPARE(last().a->text, last().b->text);
        QVERIFY(!comparison.first_divergence);
    }

    void compare_refused_keepsTheModel_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("profile");
        QTest::addColumn<double>("temperature");
        QTest::addColumn<int>("kind");
        const QString greedy = QStringLiteral("paper_reference");
        QTest::newRow("no such folder") << QStringLiteral("/nowhere/at/all") << greedy << 1.0
                                        << static_cast<int>(FailureKind::Snapshot);
        QTest::newRow("no such profile")
            << QString() << QStringLiteral("hot") << 1.0 << static_cast<int>(FailureKind::Request);
        QTest::newRow("no such temperature")
            << QString() << greedy << 0.0 << static_cast<int>(FailureKind::Request);
    }
    void compare_refused_keepsTheModel() {
        QFETCH(QString, folder);
        QFETCH(QString, profile);
        QFETCH(double, temperature);
        QFETCH(int, kind);
        load();
        CompareJob job = bothProfiles();
        job.b.folder = folder;
        job.b.profile = profile;
        job.b.changed = SamplingValue{true, temperature, 1, 0};
        const JobId id = controller_->compare(job);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QCOMPARE(static_cast<int>(recorder_->endingOf(id).failure.kind), kind);
        QCOMPARE(recorder_->lost, 0);
        QVERIFY(generateAlone(QStringLiteral("paper_reference")));
    }

    void compare_badRequest_bringsTheModelBack() {
        load();
        CompareJob job = bothFamilies();
        std::swap(job.a, job.b);  // the other snapshot is open when the request is refused
        job.request.prompt = QStringLiteral("<|im_start|>");
        QCOMPARE(run(job), QStringLiteral("failed"));
        QCOMPARE(recorder_->lost, 0);
        QVERIFY(generateAlone(QStringLiteral("paper_reference")));
    }

    void compare_modelOfBeforeIsGone_isToldAfterTheRuns() {
        const QTemporaryDir folder;
        const QString home = folder.filePath(QStringLiteral("home"));
        std::filesystem::copy(tinySnapshot().toStdString(), home.toStdString(),
                              std::filesystem::copy_options::recursive);
        load(home);
        // Both columns run elsewhere, so nothing of the job looks at the folder before the end.
        CompareJob job = bothProfiles();
        job.a.folder = mossSnapshot();
        job.b.folder = mossSnapshot();
        QVERIFY(QDir(home).removeRecursively());
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(last().a->family, std::string("MOSS-Music"));
        QVERIFY(!last().b->text.empty());
        QVERIFY2(last().modelLost.contains(home), qPrintable(last().modelLost));
        QCOMPARE(recorder_->lost, 1);
        // None is left, and another one can be opened.
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(clipRequest()))),
                 QStringLiteral("failed"));
        load();
        QVERIFY(generateAlone(QStringLiteral("paper_reference")));
    }

    void compare_withAndWithoutEdits_marksTheEditedColumn() {
        load();
        CompareJob job = bothProfiles();
        job.b = job.a;
        job.b.edits = QStringList{QStringLiteral("model.language_model.layers.1=scale:-3")};
        job.states = true;
        job.layers = {0, 2};
        const RunPointer plain = generateAlone(QStringLiteral("paper_reference"));
        QCOMPARE(run(job), QStringLiteral("compared"));
        QCOMPARE(last().a->text, plain->text);
        QVERIFY(last().a->edits.empty());
        QCOMPARE(last().b->edits, std::vector<std::string>{job.b.edits[0].toStdString()});
        QVERIFY(last().b->text != plain->text);
        const Comparison comparison = compare_runs(*last().a, *last().b);
        QCOMPARE(precondition_line(comparison),
                 std::string("same input ids · same audio · same weights · other edits"));
        // The decoder's input is before the edited layer, hidden state 2 behind it.
        QCOMPARE(largestDifference(last().statesA.hidden[0][0], last().statesB.hidden[0][0]), 0.0F);
        QVERIFY(largestDifference(last().statesA.hidden[0][1], last().statesB.hidden[0][1]) > 0.1F);
        QCOMPARE(generateAlone(QStringLiteral("paper_reference"))->text, plain->text);
    }

    void compare_editThatTheModelHasNot_failsAndBringsTheModelBack() {
        load();
        CompareJob job = bothFamilies();
        job.a.edits = job.b.edits = QStringList{QStringLiteral("model.multi_modal_projector=zero")};
        const JobId id = controller_->compare(job);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QVERIFY(recorder_->endingOf(id).failure.message.contains(
            QStringLiteral("model.multi_modal_projector")));
        QCOMPARE(recorder_->lost, 0);
        QVERIFY(generateAlone(QStringLiteral("paper_reference")));
    }

    void compare_cancelledAtAnyTime_bringsTheModelBack() {
        load();
        const RunPointer before = generateAlone(QStringLiteral("paper_reference"));
        int cancelled = 0;
        for (int milliseconds = 0; milliseconds < 400; milliseconds += 40) {
            CompareJob job = bothFamilies(400);
            std::swap(job.a, job.b);
            const JobId id = controller_->compare(job);
            QTest::qWait(milliseconds);
            controller_->cancel(id);
            cancelled += recorder_->waitFor(id) == QLatin1String("cancelled") ? 1 : 0;
        }
        QVERIFY(cancelled > 0);
        QCOMPARE(recorder_->lost, 0);
        QCOMPARE(generateAlone(QStringLiteral("paper_reference"))->text, before->text);
    }

    void quit_whileTheOtherModelRuns_isQuick() {
        load();
        CompareJob job = bothFamilies(400);
        std::swap(job.a, job.b);
        controller_->compare(job);
        QTRY_VERIFY_WITH_TIMEOUT(!recorder_->progress.empty() &&
                                     recorder_->progress.back().second.stage == Stage::Generate,
                                 20'000);
        QElapsedTimer timer;
        timer.start();
        controller_.reset();
        QVERIFY(timer.elapsed() < 2000);
        controller_ = std::make_unique<SessionController>();
    }

    void load_chunkPadding_isTakenAndTold() {
        LoadJob job = tinyLoad();
        job.folder = mossSnapshot();
        job.chunkPadding = QStringLiteral("independent");
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("loaded"));
        QCOMPARE(recorder_->model.chunkPadding, QStringLiteral("independent"));
        QCOMPARE(generateAlone(QStringLiteral("paper_reference"))->chunk_padding,
                 std::string("independent"));
        job.chunkPadding = QStringLiteral("loose");
        QCOMPARE(recorder_->waitFor(controller_->load(job)), QStringLiteral("failed"));
        load();
        QVERIFY(recorder_->model.chunkPadding.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestCompare)
#include "tst_compare.moc"
