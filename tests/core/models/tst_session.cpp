#include "core/models/music_flamingo.h"
#include "core/session.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTest>

#include <cmath>

using namespace earscope;
using namespace earscope::testing;

class TestSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { session_ = load_tiny(); }

    void loadModel_missingDevice_namesThoseThereAre() {
        LoadOptions options;
        options.device = "cuda:7";
        try {
            load_model(tiny_folder() / "snapshot", options);
            QFAIL("a device that is not there was taken");
        } catch (const DeviceError& error) {
            QVERIFY2(QByteArray(error.what()).contains("cpu"), error.what());
        }
    }

    void parameters_areThoseOfTheSnapshot() {
        QCOMPARE(session_->model().named_parameters().size(), session_->snapshot().tensors.size());
        QCOMPARE(music_flamingo_disk_name("lm_head.weight"),
                 std::string("language_model.lm_head.weight"));
        QCOMPARE(music_flamingo_disk_name("model.language_model.norm.weight"),
                 std::string("language_model.model.norm.weight"));
        QCOMPARE(music_flamingo_disk_name("model.audio_tower.conv1.bias"),
                 std::string("audio_tower.conv1.bias"));
    }

    // Python floors: 480001..480320 samples are 750 + 0 tokens (bug log BL12).
    void windowTokens_roundDownAsPythonDoes() {
        QCOMPARE(window_token_count(0), 0);
        QCOMPARE(window_token_count(1), 0);
        QCOMPARE(window_token_count(2), 0);
        QCOMPARE(window_token_count(3), 1);
        for (std::int64_t frames = 1; frames <= 3000; ++frames) {
            QCOMPARE(window_token_count(frames), (frames + 1) / 4);
        }
    }

    void forward_hidden_hasOneEntryPerLayerAndTheInput() {
        const PreparedBatch batch = batch_of({request("What is this?", {"float16k.wav"})});
        const ModelOutput output = session_->forward(batch, true);
        QCOMPARE(output.hidden_states.size(), std::size_t{5});
        QCOMPARE(output.logits.sizes(), at::IntArrayRef({1, 1, 1010}));
    }

    void contextual_layersCountFromTheEndAndRangeIsChecked() {
        const PreparedBatch batch =
            batch_of({request("What is this?", {"float16k.wav", "mono11.wav"})});
        const auto rows = session_->extract_contextual_embeddings(batch, {-1, 4, 0, 2});
        QCOMPARE(rows.size(), std::size_t{2});
        QVERIFY(close("-1 is 4", rows[0].at(-1), rows[0].at(4), 0));
        const ModelOutput output = session_->forward(batch, true);
        const at::Tensor wanted =
            output.hidden_states[2].select(0, 0).index_select(0, batch.slots[1].token_positions);
        // Stopping early must not change a bit.
        QVERIFY(close("layer 2", rows[1].at(2), wanted, 0));
        QVERIFY_EXCEPTION_THROWN(session_->extract_contextual_embeddings(batch, {5}), RequestError);
        QVERIFY_EXCEPTION_THROWN(session_->extract_contextual_embeddings(batch, {-6}),
                                 RequestError);
    }

    void eager_equalsSdpa() {
        const auto eager = load_tiny(Attention::Eager);
        const PreparedBatch batch =
            batch_of({request("a", {"float16k.wav"}), request("longer text here", {})});
        QVERIFY(close_relative("logits", eager->forward(batch).logits,
                               session_->forward(batch).logits));
        const auto a = eager->extract_audio_embeddings(batch);
        const auto b = session_->extract_audio_embeddings(batch);
        QVERIFY(close_relative("projected", a[0].projected, b[0].projected));
    }

    // R10: batch neighbours change nothing but rounding.
    void batch_equalsSingle() {
        const Request one = request("Describe the track.", {"stereo44.wav"});
        const Request two =
            request("Compare the clips: which is louder?", {"mono11.wav", "float16k.wav"});
        const PreparedBatch both = batch_of({one, two});
        const auto together = session_->extract_audio_embeddings(both);
        const auto alone = session_->extract_audio_embeddings(batch_of({two}));
        QVERIFY(close("neighbours", together[2].projected, alone[1].projected, 1e-5));
        GenerateOptions options;
        options.max_new_tokens = 12;
        const GenerateResult joint = session_->generate(both, options);
        QCOMPARE(joint.ids[0], session_->generate({one}, options).ids[0]);
        QCOMPARE(joint.ids[1], session_->generate({two}, options).ids[0]);
        for (const at::Tensor& state : session_->forward(both, true).hidden_states) {
            QVERIFY(at::isfinite(state).all().item<bool>());
        }
    }

    // BL15: the same sound in three windows of one source, and in another source.
    void rote_turnsWindowsApartAndRestartsPerSource() {
        std::vector<float> samples(480'000);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = 0.4F * std::sin(0.02F * static_cast<float>(i % 1000));
        }
        std::vector<float> twice = samples;
        twice.insert(twice.end(), samples.begin(), samples.end());
        const Request made{"x", {Waveform{twice, 16'000}, Waveform{samples, 16'000}}};
        const auto embeddings = session_->extract_audio_embeddings(batch_of({made}));
        const at::Tensor first = embeddings[0].projected.narrow(0, 0, 750);
        const at::Tensor second = embeddings[0].projected.narrow(0, 750, 750);
        QVERIFY(largest_difference(first, second) > 1e-3);
        QVERIFY(close("raw", embeddings[0].raw.narrow(0, 0, 750),
                      embeddings[0].raw.narrow(0, 750, 750), 1e-5));
        QVERIFY(close("source", first, embeddings[1].projected, 1e-5));
    }

    void gradients_reachTheMelAndNothingIsDetached() {
        PreparedBatch batch = batch_of({request("x", {"float16k.wav"})});
        batch.inputs.mel = batch.inputs.mel.detach().clone().requires_grad_(true);
        CallOptions with;
        with.grad = true;
        session_->extract_audio_embeddings(batch, with)[0].projected.pow(2).sum().backward();
        QVERIFY(batch.inputs.mel.grad().defined());
        QVERIFY(batch.inputs.mel.grad().abs().max().item<double>() > 0);
        QVERIFY(!session_->extract_audio_embeddings(batch)[0].projected.requires_grad());
    }

    void training_isRefusedWithTheReason() {
        QVERIFY_EXCEPTION_THROWN(session_->model().train(), RequestError);
        QVERIFY_EXCEPTION_THROWN(session_->model().enable_gradient_checkpointing(), RequestError);
    }

    void budget_isCutToTheContextAndNoRoomIsRefused() {
        const PreparedBatch batch = batch_of({request("x", {})});
        GenerateOptions options;
        options.max_new_tokens = 2;
        QCOMPARE(session_->generate(batch, options).budget, 2);
        options.max_new_tokens = 0;
        QVERIFY_EXCEPTION_THROWN(session_->generate(batch, options), RequestError);
        PreparedBatch wide = batch;
        wide.inputs.input_ids = batch.inputs.input_ids.narrow(1, 0, 1).repeat({1, 32'768});
        wide.inputs.attention_mask = at::ones_like(wide.inputs.input_ids);
        options.max_new_tokens = 7;
        try {
            session_->generate(wide, options);
            QFAIL("a prompt as wide as the context was run");
        } catch (const RequestError& error) {
            const QByteArray text(error.what());
            QVERIFY2(text.contains("32768") && text.contains("7"), error.what());
        }
    }

    void bfloat16_isNearFloat32() {
        const auto half = load_tiny(Attention::Sdpa, at::kBFloat16);
        const PreparedBatch batch = batch_of({request("x", {"float16k.wav"})});
        const at::Tensor want = session_->extract_audio_embeddings(batch)[0].projected;
        const at::Tensor got = half->extract_audio_embeddings(batch)[0].projected;
        QCOMPARE(got.scalar_type(), at::kBFloat16);
        const at::Tensor off = got.to(at::kFloat) - want;
        // The bound of the fixture checks: 3 % root mean square.
        QVERIFY((off.pow(2).mean().sqrt() / want.pow(2).mean().sqrt()).item<double>() < 0.03);
    }

private:
    static Request request(const std::string& prompt, const std::vector<std::string>& clips) {
        Request made{prompt, {}};
        for (const std::string& name : clips) {
            made.audios.emplace_back(clip(name));
        }
        return made;
    }
    PreparedBatch batch_of(const std::vector<Request>& requests) {
        return session_->prepare(requests);
    }

    std::shared_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
