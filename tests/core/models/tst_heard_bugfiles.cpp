// The awkward files of public bug reports, as both models hear them: windows or chunks, frames,
// tokens and the mel spectrogram of the reference (expected_mf.json, expected_moss.json), and
// refusals (reliability A5, A6).
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>

using namespace earscope;
using namespace earscope::testing;

namespace {

const std::filesystem::path kFolder = std::filesystem::path(EARSCOPE_FIXTURES) / "bugfiles";

std::vector<std::int64_t> numbers(const nlohmann::json& list) {
    return list.get<std::vector<std::int64_t>>();
}

/// @param mel  [128,F]
void check_mel(const std::string& name, const at::Tensor& mel, const nlohmann::json& wanted) {
    // The front end's bound; decoders of MP3 differ in the last bits.
    const double allowed = name.ends_with(".mp3") ? 1e-3 : 2e-4;
    const auto near = [&](const char* what, double got, double want) {
        QVERIFY2(std::abs(got - want) <= allowed, (name + " " + what + ": " + std::to_string(got) +
                                                   ", expected " + std::to_string(want))
                                                      .c_str());
    };
    near("min", mel.min().item<double>(), wanted["min"]);
    near("max", mel.max().item<double>(), wanted["max"]);
    near("mean", mel.mean().item<double>(), wanted["mean"]);
    const auto first = wanted["bin10_first5"].get<std::vector<double>>();
    for (std::size_t t = 0; t < first.size(); ++t) {
        near("bin 10", mel[10][static_cast<std::int64_t>(t)].item<double>(), first[t]);
    }
}

nlohmann::json expected(const char* name) {
    std::ifstream stream(kFolder / name);
    return nlohmann::json::parse(stream)["files"];
}

void add_rows(const nlohmann::json& files) {
    QTest::addColumn<QString>("name");
    for (const auto& [name, value] : files.items()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

}  // namespace

class TestHeardBugfiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        session_ = load_tiny();
        LoadOptions options;
        options.device = "cpu";
        options.dtype = at::kFloat;
        moss_ =
            load_model(std::filesystem::path(EARSCOPE_FIXTURES) / "moss-tiny/snapshot", options);
        expected_ = expected("expected_mf.json");
        expected_moss_ = expected("expected_moss.json");
    }

    void file_data() { add_rows(expected_); }

    void file() {
        QFETCH(QString, name);
        const std::string file = name.toStdString();
        const nlohmann::json& wanted = expected_[file];
        const Request request{"x", {kFolder / file}};
        // A rate of 1 Hz is valid for libsndfile; our own limit refuses it.
        if (!wanted.contains("mf") || file == "BL21_rate_1hz.wav") {
            QVERIFY_EXCEPTION_THROWN(session_->prepare({request}), AudioError);
            return;
        }
        const nlohmann::json& mf = wanted["mf"];
        if (mf["tokens"] == 0) {
            QVERIFY_EXCEPTION_THROWN(session_->prepare({request}), RequestError);
            return;
        }
        const PreparedBatch batch = session_->prepare({request});
        const AudioSlot& slot = batch.slots[0];
        QCOMPARE(slot.windows, mf["windows"].get<std::int64_t>());
        QCOMPARE(slot.window_frames, numbers(mf["frames"]));
        QCOMPARE(slot.window_tokens, numbers(mf["tokens_per_window"]));
        QCOMPARE(slot.token_count, mf["tokens"].get<std::int64_t>());
        QCOMPARE(slot.token_positions.numel(), slot.token_count);
        if (wanted.contains("mel")) {
            for (std::size_t w = 0; w < wanted["mel"].size(); ++w) {
                check_mel(file, batch.inputs.mel.select(0, static_cast<std::int64_t>(w)),
                          wanted["mel"][w]);
            }
        }
    }

    void mossFile_data() { add_rows(expected_moss_); }

    void mossFile() {
        QFETCH(QString, name);
        const std::string file = name.toStdString();
        const nlohmann::json& wanted = expected_moss_[file];
        const Request request{"x", {kFolder / file}};
        // A rate of 1 Hz is valid for libsndfile; our own limit refuses it.
        if (!wanted.contains("moss") || file == "BL21_rate_1hz.wav") {
            QVERIFY_EXCEPTION_THROWN(moss_->prepare({request}), AudioError);
            return;
        }
        const nlohmann::json& moss = wanted["moss"];
        const PreparedBatch batch = moss_->prepare({request});
        const AudioSlot& slot = batch.slots[0];
        const auto frames = moss["frames"].get<std::int64_t>();
        QCOMPARE(batch.inputs.feature_lengths[0].item<std::int64_t>(), frames);
        QCOMPARE(batch.inputs.mel.sizes().vec(), (std::vector<std::int64_t>{1, 128, frames}));
        QCOMPARE(std::accumulate(slot.chunks.begin(), slot.chunks.end(), std::int64_t{0}), frames);
        QCOMPARE(slot.chunks.size(), moss["chunks_400"].get<std::size_t>());
        QCOMPARE(slot.token_count, moss["tokens"].get<std::int64_t>());
        QCOMPARE(slot.token_positions.numel(), slot.token_count);
        QCOMPARE(batch.resampled[0].numel(), wanted["resample"]["len16k"].get<std::int64_t>());
        check_mel(file, batch.inputs.mel[0], wanted["mel"]);
    }

private:
    std::shared_ptr<Session> session_;
    std::shared_ptr<Session> moss_;
    nlohmann::json expected_;
    nlohmann::json expected_moss_;
};

QTEST_GUILESS_MAIN(TestHeardBugfiles)
#include "tst_heard_bugfiles.moc"
