// Extraction and export under edits: what one made is never taken for what the other would make.
#include "core/formats/safetensors.h"
#include "tests/bridge/support.h"

#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace earscope;

namespace {

const QString kProjectorZero = QStringLiteral("model.multi_modal_projector=zero");
const QString kTowerNoise = QStringLiteral("model.audio_tower.layers.0=noise:0.5:7");
const QString kLayerScale = QStringLiteral("model.language_model.layers.1=scale:-3");

RequestValue clipRequest() {
    return {QStringLiteral("Describe the track."), {tinyAudio(QStringLiteral("float16k.wav"))}};
}

ExtractJob extractUnder(const QStringList& edits) {
    ExtractJob job = extractJob(clipRequest());
    job.edits = edits;
    return job;
}

std::vector<float> floatsOf(const SafetensorsFile& file, const std::string& name) {
    const TensorView& view = file.tensors().at(name);
    std::vector<float> values(view.bytes / sizeof(float));
    std::memcpy(values.data(), view.data, view.bytes);
    return values;
}

nlohmann::json manifestOf(const SafetensorsFile& file) {
    return nlohmann::json::parse(file.metadata().at("earscope"));
}

}  // namespace

class TestEditedJobs : public QObject {
    Q_OBJECT

    std::unique_ptr<SessionController> controller_;
    std::unique_ptr<Recorder> recorder_;
    QTemporaryDir folder_;

    std::vector<float> projected(const QStringList& edits) {
        if (recorder_->waitFor(controller_->extract(extractUnder(edits))) !=
            QLatin1String("extracted")) {
            return {};
        }
        return *recorder_->extracted.sources.at(0).projected.data;
    }
    ExportJob exportUnder(const QStringList& edits, const char* name) {
        ExportJob job = exportJob(clipRequest(), folder_.filePath(QLatin1String(name)));
        job.edits = edits;
        return job;
    }
    SafetensorsFile written(const ExportJob& job) {
        const QString how = recorder_->waitFor(controller_->exportTensors(job));
        if (how != QLatin1String("exported")) {
            qWarning("%s", qPrintable(how));
        }
        return SafetensorsFile::open(job.file.toStdString());
    }

private Q_SLOTS:
    void initTestCase() {
        controller_ = std::make_unique<SessionController>();
        recorder_ = std::make_unique<Recorder>(*controller_);
        QCOMPARE(recorder_->waitFor(controller_->load(tinyLoad())), QStringLiteral("loaded"));
    }
    void cleanup() { QVERIFY(recorder_->eachEndedOnce()); }

    void extract_underOtherEdits_isMadeAnew() {
        const std::vector<float> plain = projected({});
        QVERIFY(!plain.empty());
        QVERIFY(recorder_->extracted.edits.isEmpty());
        const std::vector<float> zeros = projected({kProjectorZero});
        QCOMPARE(recorder_->extracted.edits, QStringList{kProjectorZero});
        QCOMPARE(zeros, std::vector<float>(plain.size(), 0.0F));
        QCOMPARE(projected({}), plain);
        const std::vector<float> noisy = projected({kTowerNoise});
        QVERIFY(noisy != plain);
        QCOMPARE(projected({}), plain);
        QCOMPARE(projected({kTowerNoise}), noisy);  // the seed's stream begins anew
    }

    void extract_underAFile_readsItEachTime() {
        // The capture of the layer as it is, then the same of the layer scaled.
        const QString file = folder_.filePath(QStringLiteral("patch.safetensors"));
        const QString from = QStringLiteral("model.language_model.layers.0@audio:0=from:%1#%2")
                                 .arg(file, QStringLiteral("contextual.1.0"));
        ExportJob job = exportUnder({}, "patch.safetensors");
        job.contextualLayers = {1};
        written(job);
        ExportJob patched = exportUnder({from}, "patched.safetensors");
        patched.contextualLayers = {2};
        const std::vector<float> own = floatsOf(written(patched), "contextual.2.0");
        ExportJob plain = exportUnder({}, "plain.safetensors");
        plain.contextualLayers = {2};
        QCOMPARE(own, floatsOf(written(plain), "contextual.2.0"));
        job.edits = QStringList{kProjectorZero};
        written(job);
        QVERIFY(floatsOf(written(patched), "contextual.2.0") != own);
    }

    void extract_refusedEdit_failsAndNamesIt() {
        const JobId id = controller_->extract(
            extractUnder({QStringLiteral("model.language_model.layer.1=zero")}));
        QCOMPARE(recorder_->waitFor(id), QStringLiteral("failed"));
        QVERIFY(recorder_->endingOf(id).failure.kind == FailureKind::Request);
        QVERIFY(recorder_->endingOf(id).failure.message.contains(
            QStringLiteral("model.language_model.layers.1")));
        QVERIFY(!projected({}).empty());
    }

    void export_underEdits_holdsWhatExtractShows_andSaysSo() {
        ExportJob job = exportUnder({kTowerNoise}, "edited.safetensors");
        job.contextualLayers = {0};
        const std::vector<float> shown = projected({kTowerNoise});
        const SafetensorsFile file = written(job);
        QCOMPARE(recorder_->exported.edits, job.edits);
        QCOMPARE(floatsOf(file, "projected.0"), shown);
        // Layer 0 is the decoder's input: the same noise in both.
        QCOMPARE(floatsOf(file, "contextual.0.0"), shown);
        QVERIFY(manifestOf(file).at("edits") == nlohmann::json::array({kTowerNoise.toStdString()}));
        const SafetensorsFile plain = written(exportUnder({}, "without.safetensors"));
        QVERIFY(!manifestOf(plain).contains("edits"));
        QVERIFY(floatsOf(plain, "projected.0") != shown);
        QCOMPARE(floatsOf(plain, "mel"), floatsOf(file, "mel"));
    }

    void export_inputsAlone_hasNoEdits() {
        ExportJob job = exportUnder({kTowerNoise}, "inputs.safetensors");
        job.embeddings = false;
        QVERIFY(!manifestOf(written(job)).contains("edits"));
        QVERIFY(recorder_->exported.edits.isEmpty());
    }

    void export_afterAnAnswer_tellsOfItUnderTheSameEditsOnly() {
        GenerateJob generate = generateJob(clipRequest(), 4);
        generate.edits = QStringList{kLayerScale};
        QCOMPARE(recorder_->waitFor(controller_->generate(generate)), QStringLiteral("generated"));
        const auto same = manifestOf(written(exportUnder(generate.edits, "same.safetensors")));
        QCOMPARE(same.at("generation").at("text").get<std::string>(),
                 recorder_->generated.text.toStdString());
        QVERIFY(same.at("generation").at("edits") == same.at("edits"));
        const auto other = manifestOf(written(exportUnder({}, "other.safetensors")));
        QVERIFY(!other.contains("generation"));
        QVERIFY(other.at("profile").is_null());
    }
};

QTEST_GUILESS_MAIN(TestEditedJobs)
#include "tst_edited_jobs.moc"
