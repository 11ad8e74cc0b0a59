// What may go wrong while a session works: second calls, cancelling, random streams, broken weights
// (reliability R3, R4, R6, R9, L12, A4, P1, P2).
#include "core/formats/safetensors.h"
#include "core/session.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <ATen/Context.h>
#include <QTest>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

using namespace earscope;
using namespace earscope::testing;

namespace {

template <typename Call>
std::string refusal(Call&& call) {
    try {
        call();
    } catch (const RequestError& error) {
        return error.what();
    } catch (const AudioError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class TestFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        session_ = load_tiny();
        request_ = {"Describe the track.", {clip("float16k.wav")}};
        options_.max_new_tokens = 24;
        wanted_ = session_->generate({request_}, options_).ids[0];
    }

    // R6
    void secondCall_isRefusedAtOnce_alsoFromAHook() {
        const PreparedBatch batch = session_->prepare({request_});
        int refused = 0;
        const HookHandle handle = session_->model().find("lm_head")->register_forward_hook(
            [&](const Module&, const at::Tensor&, const at::Tensor&) {
                try {
                    session_->forward(batch);
                } catch (const BusyError&) {
                    ++refused;
                }
                return at::Tensor();
            });
        session_->forward(batch);
        QCOMPARE(refused, 1);
    }

    void twoThreads_oneRunsOneIsBusy_thousandTries() {
        const PreparedBatch batch = session_->prepare({{"x", {}}});
        std::atomic<int> ran = 0;
        std::atomic<int> busy = 0;
        std::atomic<int> other = 0;
        const auto work = [&] {
            for (int i = 0; i < 500; ++i) {
                try {
                    session_->extract_contextual_embeddings(batch, {0});
                    ++ran;
                } catch (const BusyError&) {
                    ++busy;
                } catch (...) {
                    ++other;
                }
            }
        };
        std::thread one(work);
        std::thread two(work);
        one.join();
        two.join();
        QCOMPARE(other.load(), 0);
        QCOMPARE(ran.load() + busy.load(), 1000);
        QVERIFY(ran.load() > 0);
        QCOMPARE(session_->generate({request_}, options_).ids[0], wanted_);
    }

    // R4, R9: whatever the moment, the next run is that of a fresh process and the caller's stream
    // is untouched.
    void cancelled_anywhere_leavesNothingBehind() {
        at::Generator caller = at::globalContext().defaultGenerator(at::kCPU);
        caller.set_current_seed(77);
        const at::Tensor state = caller.get_state().clone();
        std::mt19937 random(1);
        int cancelled = 0;
        for (int i = 0; i < 30; ++i) {
            std::stop_source stop;
            int events = static_cast<int>(random() % 40);
            GenerateOptions options = options_;
            options.profile = i % 2 == 0 ? Profile::PaperReference : Profile::GenericSampled;
            options.stop = stop.get_token();
            options.progress = [&](const Progress&) {
                if (events-- == 0) {
                    stop.request_stop();
                }
            };
            try {
                session_->generate({request_}, options);
            } catch (const Cancelled&) {
                ++cancelled;
            }
            QCOMPARE(session_->model().any_hook_below(), false);
        }
        QVERIFY(cancelled > 5);
        QVERIFY(at::equal(caller.get_state(), state));
        QCOMPARE(session_->generate({request_}, options_).ids[0], wanted_);
    }

    void cancelled_isPrompt_withinATokenOrALayer() {
        std::stop_source stop;
        GenerateOptions options = options_;
        options.max_new_tokens = 20'000;
        options.stop = stop.get_token();
        std::int64_t tokens = 0;
        options.on_token = [&](const StreamEvent& event) {
            tokens = event.tokens_done;
            if (event.tokens_done == 3) {
                stop.request_stop();
            }
        };
        QVERIFY_EXCEPTION_THROWN(session_->generate({request_}, options), Cancelled);
        QCOMPARE(tokens, 3);
    }

    void sampledRun_repeatsAndRestoresTheCallersStream() {
        at::Generator caller = at::globalContext().defaultGenerator(at::kCPU);
        const at::Tensor state = caller.get_state().clone();
        GenerateOptions options = options_;
        options.profile = Profile::GenericSampled;
        const auto first = session_->generate({request_}, options).ids[0];
        QCOMPARE(session_->generate({request_}, options).ids[0], first);
        options.seed = 1;
        QVERIFY(session_->generate({request_}, options).ids[0] != first);
        QVERIFY(at::equal(caller.get_state(), state));
    }

    // P4
    void streamedText_joinedIsTheText() {
        GenerateOptions options = options_;
        std::vector<std::string> pieces(2);
        options.on_token = [&pieces](const StreamEvent& event) {
            pieces[static_cast<std::size_t>(event.sample_index)] += event.text;
        };
        const GenerateResult result = session_->generate({request_, {"Why?", {}}}, options);
        QCOMPARE(pieces, result.texts);
        QCOMPARE(result.texts[0], session_->processor().tokenizer.decode(result.ids[0], true));
    }

    // P1
    void controlTokens_areNamedAndLookAlikesPass() {
        for (const std::string token : {"<|im_end|>", "<sound>", "<|sound_bos|>", "<|endoftext|>",
                                        "<tool_call>", "<|AUDIO|>", "<|audio_bos|>"}) {
            if (!session_->processor().tokenizer.id_of(token) && !token.starts_with("<|a") &&
                token != "<|AUDIO|>") {
                continue;  // ordinary text in this vocabulary
            }
            const std::string text = refusal([&] {
                session_->prepare({{"a " + token + " b", {}}});
            });
            QVERIFY2(text.find(token) != std::string::npos, token.c_str());
        }
        QVERIFY(refusal([&] { session_->prepare({{"<|im_end | <sounds <audi>", {}}}); }).empty());
    }

    // P2
    void markers_areCountedBeforeAnyAudioIsRead() {
        const Request request{"<audio> <audio>", {std::filesystem::path("/does/not/exist.wav")}};
        const std::string text = refusal([&] { session_->prepare({request}); });
        QVERIFY2(text.find('2') != std::string::npos && text.find('1') != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("marker") != std::string::npos, text.c_str());
    }

    // P3
    void invalidUtf8_isRefused() {
        QVERIFY(!refusal([&] { session_->prepare({{"\xff", {}}}); }).empty());
        QVERIFY(!refusal([&] { session_->prepare({{std::string(2 << 20, 'a'), {}}}); }).empty());
    }

    // A3, A4
    void badSamples_areRefusedInWords() {
        std::vector<float> samples(16'000, 0.1F);
        samples[5] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(refusal([&] {
                    session_->prepare({{"x", {Waveform{samples, 16'000}}}});
                }).find('5') != std::string::npos);
        samples[5] = 1e38F;
        QVERIFY(refusal([&] {
                    session_->prepare({{"x", {Waveform{samples, 16'000}}}});
                }).find("loud") != std::string::npos);
    }

    // L12
    void nanWeights_loadAndAreNamedAtTheFirstForward() {
        const auto folder = std::filesystem::temp_directory_path() /
                            ("earscope-nan-" + std::to_string(QCoreApplication::applicationPid()));
        std::filesystem::remove_all(folder);
        std::filesystem::copy(tiny_folder() / "snapshot", folder);
        const std::string name = "language_model.model.norm.weight";
        {
            const auto file = SafetensorsFile::open(folder / "model.safetensors");
            std::vector<TensorView> tensors;
            std::vector<float> poisoned(96, std::numeric_limits<float>::quiet_NaN());
            for (const auto& [key, view] : file.tensors()) {
                tensors.push_back(view);
                if (key == name) {
                    tensors.back().data = reinterpret_cast<const std::byte*>(poisoned.data());
                }
            }
            std::filesystem::permissions(folder / "model.safetensors",
                                         std::filesystem::perms::owner_all);
            write_safetensors(folder / "model.safetensors", tensors, {});
        }
        LoadOptions options;
        options.device = "cpu";
        options.dtype = at::kFloat;
        const auto broken = load_model(folder, options);
        try {
            broken->generate({{"x", {}}}, options_);
            QFAIL("NaN logits were sampled from");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).contains("model.language_model.norm.weight"),
                     error.what());
        }
        std::filesystem::remove_all(folder);
    }

private:
    std::shared_ptr<Session> session_;
    Request request_;
    GenerateOptions options_;
    std::vector<std::int64_t> wanted_;
};

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
