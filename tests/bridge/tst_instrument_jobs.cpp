// The instruments as the window sees them: each job ends once, with values that fit each other.
#include "tests/bridge/support.h"

#include <QTemporaryDir>

#include <cmath>
#include <numeric>
#include <optional>

using namespace earscope;

namespace {

/// Keeps the last value of each instrument; how jobs ended is the Recorder's.
class Values : public QObject {
public:
    Values(SessionController& controller, Recorder& recorder) : recorder_(&recorder) {
        keep(controller, &SessionController::probed, probes);
        keep(controller, &SessionController::probeEstimated, estimate);
        keep(controller, &SessionController::layersRead, layers);
        keep(controller, &SessionController::lensRead, lens);
        keep(controller, &SessionController::attended, attention);
        keep(controller, &SessionController::saliencyComputed, saliency);
        keep(controller, &SessionController::alternativesListed, alternatives);
    }
    std::optional<ProbesValue> probes;
    std::optional<ProbeEstimate> estimate;
    std::optional<LayersValue> layers;
    std::optional<LensValue> lens;
    std::optional<AttentionValue> attention;
    std::optional<SaliencyValue> saliency;
    std::optional<AlternativesValue> alternatives;

private:
    template <typename Value>
    void keep(SessionController& controller, void (SessionController::*signal)(const Value&),
              std::optional<Value>& place) {
        connect(&controller, signal, this, [this, &place](const Value& value) {
            place = value;
            recorder_->endings.push_back({value.id, QStringLiteral("told"), {}});
        });
    }
    Recorder* recorder_;
};

InstrumentRequest clipRequest() {
    InstrumentRequest on;
    on.request = {QStringLiteral("Describe the track."),
                  {tinyAudio(QStringLiteral("float16k.wav"))}};
    on.maxNewTokens = 4;
    return on;
}

const QString kLayer = QStringLiteral("model.language_model.layers.1");
const QString kTold = QStringLiteral("told");

}  // namespace

class TestInstrumentJobs : public QObject {
    Q_OBJECT

    std::unique_ptr<SessionController> controller_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<Values> values_;

    template <typename Job>
    Job onClip() {
        Job job;
        job.on = clipRequest();
        return job;
    }
    QString answer() {
        const InstrumentRequest on = clipRequest();
        recorder_->waitFor(controller_->generate(generateJob(on.request, 12)));
        return recorder_->generated.text;
    }

private Q_SLOTS:
    void initTestCase() {
        controller_ = std::make_unique<SessionController>();
        recorder_ = std::make_unique<Recorder>(*controller_);
        values_ = std::make_unique<Values>(*controller_, *recorder_);
        QCOMPARE(recorder_->waitFor(controller_->load(tinyLoad())), QStringLiteral("loaded"));
    }
    void cleanup() { QVERIFY(recorder_->eachEndedOnce()); }

    void probe_scopedAndWhole_givesRowsPositionsAndFigures() {
        auto job = onClip<ProbeJob>();
        job.probes = {kLayer + QStringLiteral("@audio:0"), kLayer,
                      QStringLiteral("model.multi_modal_projector"),
                      kLayer + QStringLiteral("@generated")};
        QCOMPARE(recorder_->waitFor(controller_->estimateProbe(job)), kTold);
        QCOMPARE(recorder_->waitFor(controller_->probe(job)), kTold);
        const auto& captures = values_->probes->captures;
        QCOMPARE(captures.size(), std::size_t{4});
        QCOMPARE(captures[0].name, job.probes[0]);
        QCOMPARE(captures[0].values.shape, (std::vector<qint64>{23, 96}));
        QCOMPARE(captures[0].positions.size(), std::size_t{23});
        QVERIFY(captures[1].positions.size() > 23);
        QVERIFY(captures[2].positions.empty());
        QCOMPARE(captures[2].values.columns(), qint64{96});
        for (const ProbeCapture& capture : captures) {
            QCOMPARE(capture.statistics.nanCount, qint64{0});
            QVERIFY(capture.statistics.norm > 0);
            QVERIFY(capture.statistics.minimum < capture.statistics.maximum);
        }
        double squares = 0;
        for (const float number : *captures[0].values.data) {
            squares += static_cast<double>(number) * static_cast<double>(number);
        }
        // Both add up the same float32 numbers in float64.
        QVERIFY(std::abs(captures[0].statistics.norm / std::sqrt(squares) - 1) < 1e-9);
    }

    void estimateProbe_isWhatTheProbeKeeps_andNamesProblems() {
        auto job = onClip<ProbeJob>();
        job.probes = {QStringLiteral("layers:0-2@audio:0"), QStringLiteral("layers:1-1.mlp")};
        QCOMPARE(recorder_->waitFor(controller_->estimateProbe(job)), kTold);
        QVERIFY(values_->estimate->problem.contains(QStringLiteral("layers:1-1.mlp")));
        QCOMPARE(values_->estimate->bytes, qint64{0});
        job.probes.removeLast();
        QCOMPARE(recorder_->waitFor(controller_->estimateProbe(job)), kTold);
        QVERIFY(values_->estimate->problem.isEmpty());
        QCOMPARE(values_->estimate->modules.size(), 3);
        QCOMPARE(recorder_->waitFor(controller_->probe(job)), kTold);
        qint64 kept = 0;
        for (const ProbeCapture& capture : values_->probes->captures) {
            kept += capture.bytes;
        }
        QCOMPARE(values_->estimate->bytes, kept);
    }

    void probe_statisticsOnly_keepsNoTensor() {
        auto job = onClip<ProbeJob>();
        job.probes = {kLayer};
        job.statisticsOnly = true;
        QCOMPARE(recorder_->waitFor(controller_->probe(job)), kTold);
        QVERIFY(values_->probes->captures[0].values.isEmpty());
        QVERIFY(values_->probes->captures[0].statistics.norm > 0);
        QCOMPARE(values_->probes->captures[0].fullShape.size(), std::size_t{3});
    }

    void layers_figuresFitTheStates() {
        auto job = onClip<LayersJob>();
        job.layers = {0, 2};
        QCOMPARE(recorder_->waitFor(controller_->layers(job)), kTold);
        const LayersValue& value = *values_->layers;
        const auto width = static_cast<qint64>(value.tokens.size());
        QCOMPARE(value.norm.shape, (std::vector<qint64>{5, width}));
        QCOMPARE(value.cosineToBefore.shape, (std::vector<qint64>{5, width}));
        QCOMPARE(value.states[1].shape, (std::vector<qint64>{width, 96}));
        double squares = 0;
        for (qint64 d = 0; d < 96; ++d) {
            squares += std::pow(static_cast<double>(value.states[1].at(3, d)), 2);
        }
        // float32 sum of 96 squares against one in float64.
        QVERIFY(std::abs(static_cast<double>(value.norm.at(2, 3)) / std::sqrt(squares) - 1) < 1e-5);
        QCOMPARE(value.cosineToBefore.at(0, 0), 1.0F);
    }

    void lens_atAudio_givesChoicesForEachToken() {
        auto job = onClip<LensJob>();
        job.layers = {1, 4};
        job.topK = 3;
        QCOMPARE(recorder_->waitFor(controller_->lens(job)), kTold);
        const LensValue& value = *values_->lens;
        QCOMPARE(value.positions.size(), std::size_t{23});
        QCOMPARE(value.positions[5].tokenClass, TokenClass::Audio);
        QCOMPARE(value.choices.size(), std::size_t{2});
        QCOMPARE(value.choices[1].size(), std::size_t{23});
        const auto& top = value.choices[1][22];
        QCOMPARE(top.size(), std::size_t{3});
        QVERIFY(top[0].logProbability >= top[1].logProbability);
        QVERIFY(top[0].logProbability < 0);
    }

    void attend_rowsSumToOne() {
        auto job = onClip<AttentionJob>();
        job.layers = {3};
        QCOMPARE(recorder_->waitFor(controller_->attend(job)), kTold);
        const AttentionValue& value = *values_->attention;
        QCOMPARE(value.heads.size(), value.weights[0].size());
        const TensorValue& map = value.weights[0][0];
        QCOMPARE(map.rows(), static_cast<qint64>(value.generated.size()));
        QCOMPARE(map.columns(), static_cast<qint64>(value.tokens.size()) - 1);
        for (qint64 g = 0; g < map.rows(); ++g) {
            double sum = 0;
            for (qint64 k = 0; k < map.columns(); ++k) {
                sum += static_cast<double>(map.at(g, k));
            }
            QVERIFY(std::abs(sum - 1) < 1e-4);  // the contract's bound
        }
        QCOMPARE(value.sources.size(), std::size_t{1});
        QCOMPARE(value.sources[0].tokens, 23);
    }

    void saliency_mapIsAsLongAsTheMel() {
        auto job = onClip<SaliencyJob>();
        job.token = 2;
        job.method = QStringLiteral("integrated:2");
        QCOMPARE(recorder_->waitFor(controller_->saliency(job)), kTold);
        QCOMPARE(recorder_->waitFor(controller_->prepare(prepareJob(job.on.request))),
                 QStringLiteral("prepared"));
        const SaliencyValue& value = *values_->saliency;
        QCOMPARE(value.maps.size(), std::size_t{1});
        QCOMPARE(value.maps[0].shape, recorder_->prepared.sources[0].mel.shape);
        QCOMPARE(value.share.size(), std::size_t{1});
        QVERIFY(std::abs(value.share[0] - 1) < 1e-9);
        QVERIFY(value.logProbability < 0 && value.logProbabilitySilence < 0);
        QVERIFY(!value.piece.isEmpty());
    }

    void alternatives_continuedWithTheSameToken_giveTheSameAnswer() {
        auto job = onClip<AlternativesJob>();
        QCOMPARE(recorder_->waitFor(controller_->alternatives(job)), kTold);
        const AlternativesValue plain = *values_->alternatives;
        QCOMPARE(plain.tokens.size(), std::size_t{4});
        QCOMPARE(plain.tokens[0].token.id, plain.tokens[0].top[0].id);  // greedy
        job.continueToken = 1;
        job.continueId = plain.tokens[1].token.id;
        const JobId id = controller_->alternatives(job);
        QCOMPARE(recorder_->waitFor(id), kTold);
        QCOMPARE(values_->alternatives->text, plain.text);
        QCOMPARE(recorder_->streamedText(id), plain.text);
        job.continueId = plain.tokens[1].top[1].id;
        QCOMPARE(recorder_->waitFor(controller_->alternatives(job)), kTold);
        QCOMPARE(values_->alternatives->tokens[1].token.id, job.continueId);
        QCOMPARE(values_->alternatives->tokens[0].token.id, plain.tokens[0].token.id);
    }

    void edits_actInTheirOwnJobOnly() {
        const QString before = answer();
        auto lens = onClip<LensJob>();
        lens.layers = {4};
        lens.on.edits = {kLayer + QStringLiteral("@audio:0=zero")};
        QCOMPARE(recorder_->waitFor(controller_->lens(lens)), kTold);
        QCOMPARE(values_->lens->edits, lens.on.edits);
        GenerateJob edited = generateJob(lens.on.request, 12);
        edited.edits = {kLayer + QStringLiteral("=scale:-3")};
        QCOMPARE(recorder_->waitFor(controller_->generate(edited)), QStringLiteral("generated"));
        QCOMPARE(recorder_->generated.edits, edited.edits);
        QVERIFY(recorder_->generated.text != before);
        QCOMPARE(answer(), before);
        QVERIFY(recorder_->generated.edits.isEmpty());
    }

    void refused_failsAsRequest_andTheSessionGoesOn() {
        auto lens = onClip<LensJob>();
        lens.layers = {99};
        JobId id = controller_->lens(lens);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QCOMPARE(recorder_->endingOf(id).failure.kind, FailureKind::Request);
        auto saliency = onClip<SaliencyJob>();
        saliency.token = 4;
        id = controller_->saliency(saliency);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        auto probe = onClip<ProbeJob>();
        probe.probes = {QStringLiteral("model.language_model.layer.1")};
        id = controller_->probe(probe);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QVERIFY(recorder_->endingOf(id).failure.message.contains(kLayer));
        probe.probes = {kLayer};
        QCOMPARE(recorder_->waitFor(controller_->probe(probe)), kTold);
    }

    void cancelled_whileItRuns_leavesTheModelAsItWas() {
        const QString before = answer();
        auto job = onClip<SaliencyJob>();
        job.method = QStringLiteral("integrated:100000");
        const JobId id = controller_->saliency(job);
        QTRY_VERIFY_WITH_TIMEOUT(
            !recorder_->progress.empty() && recorder_->progress.back().first == id, 60'000);
        controller_->cancel(id);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("cancelled"));
        QCOMPARE(answer(), before);
    }
};

QTEST_GUILESS_MAIN(TestInstrumentJobs)
#include "tst_instrument_jobs.moc"
