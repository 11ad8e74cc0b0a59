#include "core/export/tensor_export.h"
#include "core/formats/safetensors.h"

#include <ATen/ATen.h>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace earscope;

namespace {

std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors) {
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const NamedTensor& named : tensors) {
        names.push_back(named.name);
    }
    return names;
}

template <typename T>
std::vector<T> values_of(const TensorView& view) {
    std::vector<T> values(view.bytes / sizeof(T));
    std::memcpy(values.data(), view.data, view.bytes);
    return values;
}

AudioSlot slot_of(std::int64_t tokens) {
    AudioSlot slot;
    slot.token_positions = at::arange(tokens, at::kLong);
    slot.time_s = at::arange(tokens, at::kFloat) * 0.04;
    slot.token_count = tokens;
    return slot;
}

}  // namespace

class TestTensorExport : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path target(const char* name) const {
        return folder_.filePath(QString::fromLatin1(name)).toStdString();
    }
    QByteArray bytes_of(const std::filesystem::path& path) const {
        QFile file(QFile::decodeName(path.c_str()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Nothing but whole files stays behind.
    QStringList files_in_folder() const {
        return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
    }

private Q_SLOTS:
    void init() {
        QVERIFY(folder_.isValid());
        for (const QString& file : files_in_folder()) {
            QFile::remove(folder_.filePath(file));
        }
    }

    void preparedTensors_musicFlamingo_haveTheNamesOfTheScheme() {
        PreparedBatch batch;
        batch.inputs.input_ids = at::zeros({2, 5}, at::kLong);
        batch.inputs.attention_mask = at::ones({2, 5}, at::kLong);
        batch.inputs.mel = at::zeros({2, 128, 10});
        batch.inputs.feature_mask = at::ones({2, 10}, at::kInt);
        batch.slots = {slot_of(2), slot_of(3)};
        batch.resampled = {at::zeros({7}), at::zeros({8})};
        const std::vector<std::string> expected = {
            "input_ids",   "attention_mask",    "mel",      "feature_mask",      "resampled.0",
            "resampled.1", "token_positions.0", "time_s.0", "token_positions.1", "time_s.1"};
        QCOMPARE(names_of(prepared_tensors(batch)), expected);
    }

    void preparedTensors_textOnlyOrMoss_leaveOutWhatIsNotThere() {
        PreparedBatch batch;
        batch.inputs.input_ids = at::zeros({1, 5}, at::kLong);
        batch.inputs.attention_mask = at::ones({1, 5}, at::kLong);
        QCOMPARE(names_of(prepared_tensors(batch)),
                 (std::vector<std::string>{"input_ids", "attention_mask"}));
        batch.inputs.mel = at::zeros({1, 128, 10});
        batch.inputs.feature_lengths = at::full({1}, 10, at::kLong);
        QCOMPARE(
            names_of(prepared_tensors(batch)),
            (std::vector<std::string>{"input_ids", "attention_mask", "mel", "feature_lengths"}));
    }

    void embeddingTensors_withDeepstack_nameStreamThenSource() {
        std::vector<AudioEmbedding> embeddings(2);
        for (AudioEmbedding& one : embeddings) {
            one.raw = at::zeros({1, 2});
            one.projected = at::zeros({1, 3});
            one.deepstack_raw = {at::zeros({1, 2}), at::zeros({1, 2})};
            one.deepstack_projected = {at::zeros({1, 3})};
        }
        const std::vector<std::string> expected = {"raw.0",
                                                   "projected.0",
                                                   "deepstack_raw.0.0",
                                                   "deepstack_raw.1.0",
                                                   "deepstack_projected.0.0",
                                                   "raw.1",
                                                   "projected.1",
                                                   "deepstack_raw.0.1",
                                                   "deepstack_raw.1.1",
                                                   "deepstack_projected.0.1"};
        QCOMPARE(names_of(embedding_tensors(embeddings)), expected);
    }

    void contextualTensors_negativeLayer_isNamedAsAsked() {
        const std::vector<ContextualEmbedding> embeddings = {
            {{-1, at::zeros({1, 2})}, {0, at::zeros({1, 2})}}, {{-1, at::zeros({2, 2})}}};
        QCOMPARE(
            names_of(contextual_tensors(embeddings)),
            (std::vector<std::string>{"contextual.-1.0", "contextual.0.0", "contextual.-1.1"}));
    }

    void exportTensors_anyLayout_writesRowMajorValues() {
        const at::Tensor base = at::arange(6, at::kFloat).reshape({2, 3});
        at::Tensor learnt = at::ones({2});
        learnt.requires_grad_(true);
        const std::vector<NamedTensor> tensors = {
            {"transposed", base.t()},
            {"expanded", at::full({1, 2}, 7.0F).expand({2, 2})},
            {"strided", base.slice(1, 0, 3, 2)},
            {"graph", learnt * 3},
            {"scalar", at::scalar_tensor(2.5, at::kDouble)},
            {"empty", at::zeros({0, 4}, at::kLong)},
            {"flags", at::tensor({1, 0}).to(at::kBool)},
        };
        const auto file = target("layouts.safetensors");
        export_tensors(file, tensors, {{"a", 1}});
        const auto read = SafetensorsFile::open(file);
        const auto& views = read.tensors();
        QCOMPARE(views.size(), tensors.size());
        QCOMPARE(views.at("transposed").shape, (std::vector<std::int64_t>{3, 2}));
        QCOMPARE(values_of<float>(views.at("transposed")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
        QCOMPARE(values_of<float>(views.at("expanded")), (std::vector<float>{7, 7, 7, 7}));
        QCOMPARE(values_of<float>(views.at("strided")), (std::vector<float>{0, 2, 3, 5}));
        QCOMPARE(values_of<float>(views.at("graph")), (std::vector<float>{3, 3}));
        QVERIFY(views.at("scalar").shape.empty());
        QCOMPARE(values_of<double>(views.at("scalar")), (std::vector<double>{2.5}));
        QCOMPARE(views.at("empty").shape, (std::vector<std::int64_t>{0, 4}));
        QVERIFY(views.at("flags").dtype == DType::Bool);
        QCOMPARE(values_of<std::uint8_t>(views.at("flags")), (std::vector<std::uint8_t>{1, 0}));
        QCOMPARE(files_in_folder(), QStringList{QStringLiteral("layouts.safetensors")});
    }

    void exportTensors_bfloat16_staysInSafetensors() {
        const at::Tensor values = at::tensor({1.0F, -2.5F, 0.15625F}).to(at::kBFloat16);
        const auto file = target("half.safetensors");
        export_tensors(file, std::vector<NamedTensor>{{"raw.0", values}}, {});
        const auto read = SafetensorsFile::open(file);
        const TensorView& view = read.tensors().at("raw.0");
        QVERIFY(view.dtype == DType::BF16);
        QCOMPARE(values_of<std::uint16_t>(view),
                 (std::vector<std::uint16_t>{0x3F80, 0xC020, 0x3E20}));
    }

    void exportTensors_bfloat16_isWidenedInNpz() {
        const std::vector<float> values = {1.0F, -2.5F, 0.15625F};
        const auto file = target("half.npz");
        export_tensors(file,
                       std::vector<NamedTensor>{{"raw.0", at::tensor(values).to(at::kBFloat16)}},
                       {{"snapshot", "x"}});
        const QByteArray bytes = bytes_of(file);
        const auto array = bytes.indexOf("\x93NUMPY", bytes.indexOf("raw.0.npy"));
        QVERIFY(array > 0);
        QVERIFY(bytes.mid(array, 128).contains("<f4"));
        const QByteArray wanted(reinterpret_cast<const char*>(values.data()),
                                static_cast<qsizetype>(values.size() * sizeof(float)));
        QVERIFY(bytes.indexOf(wanted, array) > 0);
    }

    void exportTensors_npz_spellsTheManifestUnderEarscope() {
        const auto file = target("meta.npz");
        export_tensors(file, std::vector<NamedTensor>{{"loss", at::zeros({})}},
                       {{"snapshot", "x"}});
        const QByteArray bytes = bytes_of(file);
        // numpy's unicode arrays hold four bytes per character.
        QByteArray wanted;
        for (const char c : std::string_view(R"({"earscope":{"snapshot":"x"}})")) {
            wanted.append(c).append(3, '\0');
        }
        QVERIFY(bytes.contains("meta.npy"));
        QVERIFY(bytes.contains(wanted));
    }

    void exportTensors_safetensors_holdsTheManifestUnderEarscope() {
        const nlohmann::json manifest = {{"family", "Music Flamingo"}, {"prompt", "Schön? 音楽"}};
        const auto file = target("manifest.safetensors");
        export_tensors(file, std::vector<NamedTensor>{{"loss", at::zeros({})}}, manifest);
        const auto read = SafetensorsFile::open(file);
        QVERIFY(nlohmann::json::parse(read.metadata().at("earscope")) == manifest);
    }

    void exportTensors_nameThatIsNoUtf8_isStillValidJson() {
        const auto file = target("bytes.safetensors");
        export_tensors(file, std::vector<NamedTensor>{{"loss", at::zeros({})}},
                       {{"name",
                         "a\xff"
                         "b"}});
        const auto read = SafetensorsFile::open(file);
        const auto manifest = nlohmann::json::parse(read.metadata().at("earscope"));
        QCOMPARE(manifest["name"].get<std::string>(), std::string("a\xEF\xBF\xBD"
                                                                  "b"));
    }

    void exportTensors_refused_leavesTheOldFile_data() {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QByteArray>("named");
        QTest::newRow("two of one name") << 0 << QByteArray("raw.0");
        QTest::newRow("complex numbers") << 1 << QByteArray("spectrum");
        QTest::newRow("undefined") << 2 << QByteArray("nothing");
    }
    void exportTensors_refused_leavesTheOldFile() {
        QFETCH(int, fault);
        QFETCH(QByteArray, named);
        const std::vector<std::vector<NamedTensor>> faults = {
            {{"raw.0", at::zeros({1})}, {"raw.0", at::ones({1})}},
            {{"spectrum", at::zeros({1}, at::kComplexFloat)}},
            {{"nothing", at::Tensor()}},
        };
        const auto file = target("old.safetensors");
        export_tensors(file, std::vector<NamedTensor>{{"loss", at::zeros({})}}, {});
        const QByteArray before = bytes_of(file);
        try {
            export_tensors(file, faults[static_cast<std::size_t>(fault)], {});
            QFAIL("was not refused");
        } catch (const ExportError& error) {
            QVERIFY2(QByteArray(error.what()).contains(named), error.what());
        }
        QCOMPARE(bytes_of(file), before);
        QCOMPARE(files_in_folder().size(), 1);
    }

    void exportTensors_stopped_throwsAndWritesNothing() {
        const auto stop = std::make_unique<std::stop_source>();  // g++ 12 warns wrongly otherwise
        stop->request_stop();
        QVERIFY_EXCEPTION_THROWN(
            export_tensors(target("stopped.npz"), std::vector<NamedTensor>{{"loss", at::zeros({})}},
                           {}, stop->get_token()),
            Cancelled);
        QVERIFY(files_in_folder().isEmpty());
    }

    void checkExportTarget_goodName_leavesNothingBehind() {
        check_export_target(target("good.safetensors"));
        check_export_target(target("good.npz"));
        QVERIFY(files_in_folder().isEmpty());
    }

    void checkExportTarget_unwritable_throws() {
        QVERIFY(QDir(folder_.path()).mkpath(QStringLiteral("folder.npz")));
        const std::vector<std::filesystem::path> refused = {
            target("ending.txt"), target("no-ending"), target("missing/file.npz"),
            target("folder.npz"), "/proc/earscope.safetensors"};
        for (const auto& file : refused) {
            QVERIFY_EXCEPTION_THROWN(check_export_target(file), ExportError);
        }
    }
};

QTEST_GUILESS_MAIN(TestTensorExport)
#include "tst_tensor_export.moc"
