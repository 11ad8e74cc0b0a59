#include "core/export/tensor_export.h"
#include "tests/support/tiny_model.h"

#include <ATen/ATen.h>
#include <QDateTime>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace earscope;
using earscope::testing::clip;
using earscope::testing::load_tiny;

namespace {

Waveform tone(std::size_t samples, std::int64_t rate) {
    Waveform waveform;
    waveform.sample_rate = rate;
    waveform.samples.assign(samples, 0.25F);
    return waveform;
}

std::vector<Request> two_requests() {
    return {{"First, with a file and a tone.", {clip("stereo44.wav"), tone(22050, 22050)}},
            {"Second.", {tone(8000, 16000)}}};
}

/// Bytes of a tensor as the file holds them.
bool same_bytes(const TensorView& view, const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    return view.bytes == plain.nbytes() &&
           std::memcmp(view.data, plain.const_data_ptr(), view.bytes) == 0;
}

}  // namespace

class TestManifest : public QObject {
    Q_OBJECT

    std::shared_ptr<Session> session_;
    PreparedBatch batch_;

private Q_SLOTS:
    void initTestCase() {
        session_ = load_tiny();
        batch_ = session_->prepare(two_requests());
    }

    void makeManifest_batch_tellsWhereEverythingComesFrom() {
        const nlohmann::json manifest = make_manifest(*session_, batch_);
        QCOMPARE(manifest.at("version").get<std::string>(), std::string(EARSCOPE_VERSION));
        QCOMPARE(manifest.at("snapshot").get<std::string>(), session_->snapshot().name);
        QCOMPARE(manifest.at("family").get<std::string>(), std::string("Music Flamingo"));
        QCOMPARE(manifest.at("dtype").get<std::string>(), std::string("float32"));
        QCOMPARE(manifest.at("device").get<std::string>(), std::string("cpu"));
        QCOMPARE(manifest.at("attention").get<std::string>(), std::string("sdpa"));
        QVERIFY(manifest.at("profile").is_null());
        QVERIFY(!manifest.contains("chunk_padding"));  // a matter of MOSS-Music
        QVERIFY(manifest.at("conventions").at("pooling") == "none");
    }

    void makeManifest_requests_nameTheirAudiosInOrder() {
        const nlohmann::json requests = make_manifest(*session_, batch_).at("requests");
        QCOMPARE(requests.size(), std::size_t{2});
        QCOMPARE(requests[0].at("prompt").get<std::string>(), two_requests()[0].prompt);
        const nlohmann::json& audios = requests[0].at("audios");
        QCOMPARE(audios.size(), std::size_t{2});
        QVERIFY(audios[0].at("name") == "stereo44.wav");
        QVERIFY(audios[0].at("sample_rate") == 44100);
        QVERIFY(audios[1].at("sample_rate") == 22050);
        QCOMPARE(audios[1].at("duration_s").get<double>(), 1.0);
        QCOMPARE(requests[1].at("audios").size(), std::size_t{1});
        QVERIFY(requests[1].at("prompt_tokens") == batch_.prompt_tokens[1]);
    }

    void makeManifest_slots_areNumberedOverTheBatch() {
        const nlohmann::json slots = make_manifest(*session_, batch_).at("slots");
        QCOMPARE(slots.size(), std::size_t{3});
        const std::vector<std::pair<int, int>> places = {{0, 0}, {0, 1}, {1, 0}};
        for (std::size_t a = 0; a < slots.size(); ++a) {
            QVERIFY(slots[a].at("sample_index") == places[a].first);
            QVERIFY(slots[a].at("audio_index") == places[a].second);
            QVERIFY(slots[a].at("n_tokens") == batch_.slots[a].token_count);
            QCOMPARE(slots[a].at("seconds_per_token").get<double>(), 0.04);
            QVERIFY(slots[a].at("windows") == 1);
        }
    }

    void makeManifest_time_isUtcOfNow() {
        const auto text = make_manifest(*session_, batch_).at("time").get<std::string>();
        const QDateTime time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODate);
        QVERIFY2(time.isValid() && time.timeSpec() == Qt::UTC, text.c_str());
        QVERIFY(std::abs(time.secsTo(QDateTime::currentDateTimeUtc())) < 60);
    }

    void makeManifest_extra_isPutInAndWins() {
        const nlohmann::json manifest = make_manifest(
            *session_, batch_, {{"profile", "paper_reference"}, {"edits", {"lm_head=zero"}}});
        QVERIFY(manifest.at("profile") == "paper_reference");
        QCOMPARE(manifest.at("edits").size(), std::size_t{1});
    }

    void export_everything_readsBackBitByBit() {
        const auto embeddings = session_->extract_audio_embeddings(batch_);
        const auto contextual = session_->extract_contextual_embeddings(batch_, {0, -1});
        std::vector<NamedTensor> tensors = prepared_tensors(batch_);
        for (auto more : {embedding_tensors(embeddings), contextual_tensors(contextual)}) {
            tensors.insert(tensors.end(), more.begin(), more.end());
        }
        const QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("all.safetensors")).toStdString();
        export_tensors(file, tensors, make_manifest(*session_, batch_));
        const auto read = SafetensorsFile::open(file);
        QCOMPARE(read.tensors().size(), tensors.size());
        for (const NamedTensor& named : tensors) {
            QVERIFY2(same_bytes(read.tensors().at(named.name), named.tensor), named.name.c_str());
        }
        for (const char* name : {"mel", "feature_mask", "resampled.2", "token_positions.2",
                                 "time_s.2", "raw.2", "projected.2", "contextual.-1.2"}) {
            QVERIFY2(read.tensors().contains(name), name);
        }
    }

    void export_bfloat16Session_keepsItsDtype() {
        const auto session = load_tiny(Attention::Sdpa, at::kBFloat16);
        const auto batch = session->prepare({two_requests()[1]});
        const QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("half.safetensors")).toStdString();
        export_tensors(file, embedding_tensors(session->extract_audio_embeddings(batch)),
                       make_manifest(*session, batch));
        const auto read = SafetensorsFile::open(file);
        QVERIFY(read.tensors().at("projected.0").dtype == DType::BF16);
        const auto manifest = nlohmann::json::parse(read.metadata().at("earscope"));
        QVERIFY(manifest.at("dtype") == "bfloat16");
    }
};

QTEST_GUILESS_MAIN(TestManifest)
#include "tst_manifest.moc"
