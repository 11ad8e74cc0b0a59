// What instruments found goes to a file under the names that earscope-cli gives it.
#include "core/formats/safetensors.h"
#include "tests/bridge/support.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <cstring>
#include <functional>
#include <optional>

using namespace earscope;

namespace {

const QString kTold = QStringLiteral("told");
const QString kExported = QStringLiteral("exported");
const QString kLayer = QStringLiteral("model.language_model.layers.1");

InstrumentRequest clipRequest() {
    InstrumentRequest on;
    on.request = {QStringLiteral("Describe the track."),
                  {tinyAudio(QStringLiteral("float16k.wav"))}};
    on.maxNewTokens = 3;
    return on;
}

QStringList namesOf(const SafetensorsFile& file) {
    QStringList names;
    for (const auto& entry : file.tensors()) {
        names << QString::fromStdString(entry.first);
    }
    return names;
}

QJsonObject manifestOf(const SafetensorsFile& file) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(file.metadata().at("earscope")))
        .object();
}

}  // namespace

class TestInstrumentExport : public QObject {
    Q_OBJECT

    std::unique_ptr<SessionController> controller_;
    std::unique_ptr<Recorder> recorder_;
    QTemporaryDir folder_;
    std::optional<ProbesValue> probes_;
    std::optional<AttentionValue> attention_;
    std::optional<PassEstimate> pass_;

    template <typename Job>
    Job onClip() {
        Job job;
        job.on = clipRequest();
        return job;
    }
    template <typename Value>
    void told(void (SessionController::*signal)(const Value&)) {
        connect(controller_.get(), signal, this, [this](const Value& value) {
            recorder_->endings.push_back({value.id, kTold, {}});
        });
    }
    JobId done(JobId id) { return recorder_->waitFor(id) == kTold ? id : 0; }
    Ending write(Instrument instrument, JobId result, const QString& file) {
        InstrumentExportJob job;
        job.file = file;
        job.instrument = instrument;
        job.result = result;
        const JobId id = controller_->exportInstrument(job);
        recorder_->waitFor(id);
        return recorder_->endingOf(id);
    }
    JobId runProbes(const QStringList& probes, const QStringList& edits = {},
                    bool statisticsOnly = false) {
        ProbeJob job = onClip<ProbeJob>();
        job.probes = probes;
        job.on.edits = edits;
        job.statisticsOnly = statisticsOnly;
        return done(controller_->probe(job));
    }
    QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

private Q_SLOTS:
    void initTestCase() {
        controller_ = std::make_unique<SessionController>();
        recorder_ = std::make_unique<Recorder>(*controller_);
        connect(controller_.get(), &SessionController::probed, this,
                [this](const ProbesValue& value) { probes_ = value; });
        connect(controller_.get(), &SessionController::attended, this,
                [this](const AttentionValue& value) { attention_ = value; });
        connect(controller_.get(), &SessionController::passEstimated, this,
                [this](const PassEstimate& value) { pass_ = value; });
        told(&SessionController::probed);
        told(&SessionController::lensRead);
        told(&SessionController::attended);
        told(&SessionController::saliencyComputed);
        told(&SessionController::alternativesListed);
        told(&SessionController::layersRead);
        told(&SessionController::passEstimated);
        QCOMPARE(recorder_->waitFor(controller_->load(tinyLoad())), QStringLiteral("loaded"));
    }
    void cleanup() {
        QVERIFY(recorder_->eachEndedOnce());
        QVERIFY(
            QDir(folder_.path()).entryList({QStringLiteral(".earscope*")}, QDir::Hidden).isEmpty());
    }

    void probes_areWrittenAsCaptured_withRequestAndEdits() {
        const QString edit = kLayer + QStringLiteral("@all=scale:0.5");
        const JobId id =
            runProbes({kLayer + QStringLiteral("@audio:0"), QStringLiteral("lm_head")}, {edit});
        QCOMPARE(write(Instrument::Probes, id, path("p.safetensors")).how, kExported);
        const SafetensorsFile file = SafetensorsFile::open(path("p.safetensors").toStdString());
        QCOMPARE(
            namesOf(file).join(QLatin1Char(' ')),
            QStringLiteral("attention_mask input_ids probe.lm_head probe."
                           "model.language_model.layers.1@audio:0 time_s.0 token_positions.0"));
        QCOMPARE(recorder_->exported.tensors.size(), 6);
        QCOMPARE(recorder_->exported.bytes, QFileInfo(path("p.safetensors")).size());
        const auto& stored = file.tensors().at("probe." + kLayer.toStdString() + "@audio:0");
        const TensorValue& seen = probes_->captures[0].values;
        QCOMPARE(stored.shape, (std::vector<std::int64_t>{seen.rows(), seen.columns()}));
        QCOMPARE(std::memcmp(stored.data, seen.data->data(), stored.bytes), 0);
        QCOMPARE(file.tensors().at("probe.lm_head").shape.size(), std::size_t{3});
        const QJsonObject manifest = manifestOf(file);
        QCOMPARE(manifest[QStringLiteral("edits")].toArray().size(), 1);
        QCOMPARE(manifest[QStringLiteral("probes")].toArray().size(), 2);
        QCOMPARE(manifest[QStringLiteral("requests")][0][QStringLiteral("prompt")].toString(),
                 QStringLiteral("Describe the track."));
        QVERIFY(
            manifest[QStringLiteral("statistics")].toObject().contains(QStringLiteral("lm_head")));
        QCOMPARE(write(Instrument::Probes, id, path("p.npz")).how, kExported);
        QVERIFY(QFileInfo(path("p.npz")).size() > 1000);
    }

    void everyOtherInstrument_isWritten_underTheNamesOfTheCommandLine() {
        const auto names = [&](Instrument instrument, JobId id) {
            const QString file = path("x.safetensors");
            return write(instrument, id, file).how == kExported
                       ? namesOf(SafetensorsFile::open(file.toStdString()))
                             .filter(QRegularExpression(QStringLiteral(
                                 "^(?!input_ids|attention_mask|token_positions|time_s)")))
                             .join(QLatin1Char(' '))
                       : QString();
        };
        LensJob lens = onClip<LensJob>();
        lens.layers = {0, 4};
        QCOMPARE(names(Instrument::Lens, done(controller_->lens(lens))),
                 QStringLiteral("lens_ids.0 lens_ids.4 lens_logprobs.0 lens_logprobs.4 "
                                "lens_positions"));
        LayersJob layers = onClip<LayersJob>();
        layers.layers = {2};
        QCOMPARE(names(Instrument::Layers, done(controller_->layers(layers))),
                 QStringLiteral("hidden.2 hidden_cosine_to_before hidden_norm"));
        SaliencyJob saliency = onClip<SaliencyJob>();
        QCOMPARE(names(Instrument::Saliency, done(controller_->saliency(saliency))),
                 QStringLiteral("saliency.mel"));
        AttentionJob attention = onClip<AttentionJob>();
        attention.layers = {1};
        attention.heads = {3, 0};
        QCOMPARE(names(Instrument::Attention, done(controller_->attend(attention))),
                 QStringLiteral("attention.1 attention_audio.1.0 generated_ids"));
        attention.firstRow = 4;
        attention.endRow = 14;
        QCOMPARE(names(Instrument::Attention, done(controller_->attend(attention))),
                 QStringLiteral("attention_rows.1"));
        QVERIFY(attention_->generated.empty());
        QCOMPARE(attention_->firstRow, 4);
        const SafetensorsFile file = SafetensorsFile::open(path("x.safetensors").toStdString());
        const auto& rows = file.tensors().at("attention_rows.1");
        const TensorValue& head = attention_->weights[0][0];
        QCOMPARE(rows.shape,
                 (std::vector<std::int64_t>{1, 2, 10, std::int64_t(attention_->tokens.size())}));
        QCOMPARE(std::memcmp(rows.data, head.data->data(), head.data->size() * sizeof(float)), 0);
    }

    void alternatives_areWrittenAsJson() {
        const JobId id = done(controller_->alternatives(onClip<AlternativesJob>()));
        QCOMPARE(write(Instrument::Alternatives, id, path("a.json")).how, kExported);
        QFile file(path("a.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject out = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(out[QStringLiteral("tokens")][0].toArray().size(), 3);
        QCOMPARE(out[QStringLiteral("tokens")][0][0][QStringLiteral("top")].toArray().size(), 5);
        QVERIFY(out[QStringLiteral("earscope")].toObject().contains(QStringLiteral("requests")));
        const Ending ending = write(Instrument::Alternatives, id, path("a.npz"));
        QCOMPARE(ending.how, QStringLiteral("failed"));
        QVERIFY(ending.failure.message.contains(QStringLiteral(".json")));
    }

    void whatCannotBeWritten_isSaidInOneLine_andLeavesNoFile() {
        const JobId id = runProbes({kLayer});
        const auto refused = [&](JobId result, const QString& file) {
            const Ending ending = write(Instrument::Probes, result, file);
            const bool one_line = !ending.failure.message.contains(QLatin1Char('\n'));
            return ending.how == QLatin1String("failed") && one_line ? ending.failure.message
                                                                     : QString();
        };
        QVERIFY(refused(id, path("no/such/p.npz")).contains(QStringLiteral("no/such")));
        QVERIFY(refused(id, path("p.txt")).contains(QStringLiteral("p.txt")));
        QVERIFY(
            refused(id + 999, path("q.npz")).contains(QStringLiteral("run the instrument again")));
        const JobId only = runProbes({kLayer}, {}, true);
        QVERIFY(refused(only, path("q.npz")).contains(QStringLiteral("only statistics")));
        QVERIFY(refused(id, path("q.npz")).contains(QStringLiteral("not kept any more")));
        QVERIFY(!QFileInfo::exists(path("q.npz")) && !QFileInfo::exists(path("p.txt")));
    }

    void exportThatIsCancelled_leavesNoFile() {
        InstrumentExportJob job;
        job.instrument = Instrument::Probes;
        job.result = runProbes({kLayer});
        job.file = path("c.safetensors");
        const JobId id = controller_->exportInstrument(job);
        controller_->cancel(id);
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("cancelled"));
        QVERIFY(!QFileInfo::exists(job.file));
    }

    void resultOfAnotherRequest_isStillThere() {
        const JobId id = runProbes({kLayer + QStringLiteral("@last")});
        PrepareJob other;
        other.request = {QStringLiteral("Something else."), {}};
        recorder_->waitFor(controller_->prepare(other));
        QCOMPARE(write(Instrument::Probes, id, path("l.safetensors")).how, kExported);
        const SafetensorsFile file = SafetensorsFile::open(path("l.safetensors").toStdString());
        QCOMPARE(
            manifestOf(file)[QStringLiteral("requests")][0][QStringLiteral("prompt")].toString(),
            QStringLiteral("Describe the track."));
        QCOMPARE(recorder_->waitFor(controller_->unload()), QStringLiteral("unloaded"));
        QCOMPARE(write(Instrument::Probes, id, path("m.npz")).how, QStringLiteral("failed"));
        QCOMPARE(recorder_->waitFor(controller_->load(tinyLoad())), QStringLiteral("loaded"));
    }

    void passEstimate_isMeasured_andSaysWhatIsRefused() {
        QVERIFY(done(controller_->estimatePass(onClip<PassJob>())) != 0);
        QVERIFY(pass_->problem.isEmpty());
        QVERIFY(pass_->seconds >= pass_->forwardSeconds && pass_->forwardSeconds > 0);
        QVERIFY(pass_->bytes > 100'000);
        PassJob text = onClip<PassJob>();
        text.on.request.audioPaths.clear();
        QVERIFY(done(controller_->estimatePass(text)) != 0);
        QVERIFY(pass_->problem.contains(QStringLiteral("audio")));
    }
};

QTEST_GUILESS_MAIN(TestInstrumentExport)
#include "tst_instrument_export.moc"
