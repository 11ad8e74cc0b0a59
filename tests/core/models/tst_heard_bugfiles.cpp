// The awkward files of public bug reports, as Music Flamingo hears them: windows, frames, tokens
// and the mel spectrogram of the reference (expected_mf.json), and refusals (reliability A5, A6).
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace earscope;
using namespace earscope::testing;

namespace {

const std::filesystem::path kFolder = std::filesystem::path(EARSCOPE_FIXTURES) / "bugfiles";

std::vector<std::int64_t> numbers(const nlohmann::json& list) {
    return list.get<std::vector<std::int64_t>>();
}

void check_mel(const std::string& name, const at::Tensor& mel, const nlohmann::json& wanted) {
    // The front end's bound for the torch path; decoders of MP3 differ in the last bits.
    const double allowed = name.ends_with(".mp3") ? 1e-3 : 2e-4;
    for (std::size_t w = 0; w < wanted.size(); ++w) {
        const at::Tensor window = mel.select(0, static_cast<std::int64_t>(w));
        const auto near = [&](const char* what, double got, double want) {
            QVERIFY2(std::abs(got - want) <= allowed,
                     (name + " " + what + ": " + std::to_string(got) + ", expected " +
                      std::to_string(want))
                         .c_str());
        };
        near("min", window.min().item<double>(), wanted[w]["min"]);
        near("max", window.max().item<double>(), wanted[w]["max"]);
        near("mean", window.mean().item<double>(), wanted[w]["mean"]);
        const auto first = wanted[w]["bin10_first5"].get<std::vector<double>>();
        for (std::size_t t = 0; t < first.size(); ++t) {
            near("bin 10", window[10][static_cast<std::int64_t>(t)].item<double>(), first[t]);
        }
    }
}

}  // namespace

class TestHeardBugfiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { session_ = load_tiny(); }

    void file_data() {
        QTest::addColumn<QString>("name");
        std::ifstream stream(kFolder / "expected_mf.json");
        expected_ = nlohmann::json::parse(stream)["files"];
        for (const auto& [name, value] : expected_.items()) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }

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
            check_mel(file, batch.inputs.mel, wanted["mel"]);
        }
    }

private:
    std::shared_ptr<Session> session_;
    nlohmann::json expected_;
};

QTEST_GUILESS_MAIN(TestHeardBugfiles)
#include "tst_heard_bugfiles.moc"
