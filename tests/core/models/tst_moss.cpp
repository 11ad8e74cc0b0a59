// What only MOSS-Music has: DeepStack added between layer and hook, chunks that see nothing of each
// other, and two ways to pad short ones.
#include "core/session.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTest>

#include <cmath>

using namespace earscope;
using namespace earscope::testing;

namespace {

std::shared_ptr<Session> load_moss(ChunkPadding padding) {
    LoadOptions options;
    options.device = "cpu";
    options.dtype = at::kFloat;
    options.chunk_padding = padding;
    return load_model(std::filesystem::path(EARSCOPE_FIXTURES) / "moss-tiny/snapshot", options);
}

Waveform tone(double seconds, float step) {
    Waveform made{std::vector<float>(static_cast<std::size_t>(seconds * 16'000)), 16'000};
    for (std::size_t i = 0; i < made.samples.size(); ++i) {
        made.samples[i] = 0.3F * std::sin(step * static_cast<float>(i % 7919));
    }
    return made;
}

}  // namespace

class TestMoss : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { session_ = load_moss(ChunkPadding::Reference); }

    void preInjection_differsFromTheHookByTheDeepstackRowsAlone() {
        const PreparedBatch batch =
            session_->prepare({{"Compare.", {tone(1.0, 0.05F), tone(4.5, 0.11F)}}, {"Why?", {}}});
        const auto embeddings = session_->extract_audio_embeddings(batch);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string name = "language_model.layers." + std::to_string(k);
            at::Tensor before;
            at::Tensor after;
            const HookHandle first =
                session_->model().find(name + "#pre")->register_forward_hook(keep(before));
            const HookHandle second =
                session_->model().find(name)->register_forward_hook(keep(after));
            const at::Tensor hidden = session_->forward(batch, true).hidden_states[k + 1];
            QVERIFY(close("hidden state", hidden, after, 0));
            at::Tensor wanted = before.clone();
            for (std::size_t a = 0; a < batch.slots.size(); ++a) {
                const AudioSlot& slot = batch.slots[a];
                wanted[slot.sample_index].index_add_(0, slot.token_positions,
                                                     embeddings[a].deepstack_projected[k]);
            }
            QVERIFY(close(name, after, wanted, 0));
            QVERIFY(largest_difference(before, after) > 1e-3);
        }
        QVERIFY(session_->model().find("language_model.layers.3#pre") == nullptr);
        QVERIFY(session_->model().find("audio_adapter#pre") == nullptr);
    }

    // BL30: what happens in the third chunk does not reach the first two.
    void chunks_seeNothingOfEachOther() {
        Waveform one = tone(8.3, 0.07F);
        const at::Tensor before = raw_of({"x", {one}});
        for (std::size_t i = 16'000 * 8 + 400; i < one.samples.size(); ++i) {
            one.samples[i] *= -0.5F;
        }
        const at::Tensor after = raw_of({"x", {one}});
        QVERIFY(close("first two chunks", after.narrow(0, 0, 100), before.narrow(0, 0, 100), 0));
        QVERIFY(largest_difference(after, before) > 1e-3);
    }

    // Sources under 4 s depend on their neighbours as in the reference, unless asked not to.
    void independentPadding_makesBatchAndSingleAgree() {
        const auto independent = load_moss(ChunkPadding::Independent);
        const Waveform brief = tone(0.37, 0.05F);  // 37 frames: the last token sees the padding
        const Request alone{"x", {brief}};
        const Request beside{"x", {brief, tone(5.0, 0.09F)}};
        const auto rows = [](Session& session, const Request& request) {
            return session.extract_audio_embeddings(session.prepare({request}))[0].projected;
        };
        QVERIFY(
            close_relative("independent", rows(*independent, beside), rows(*independent, alone)));
        QVERIFY(largest_difference(rows(*session_, beside), rows(*session_, alone)) > 1e-3);
        const Request longer{"x", {tone(4.2, 0.05F)}};
        const Request both{"x", {tone(4.2, 0.05F), tone(5.0, 0.09F)}};
        QVERIFY(close_relative("4 s and more", rows(*session_, both), rows(*session_, longer)));
    }

    // A hook on the encoder takes the reference's padded shapes; the numbers stay.
    void hookedEncoder_givesTheSameNumbers() {
        const PreparedBatch batch = session_->prepare({{"x", {tone(5.1, 0.05F), tone(0.6, 0.2F)}}});
        const auto plain = session_->extract_audio_embeddings(batch);
        at::Tensor seen;
        const HookHandle handle =
            session_->model().find("audio_encoder.layers.0")->register_forward_hook(keep(seen));
        const auto hooked = session_->extract_audio_embeddings(batch);
        QCOMPARE(seen.sizes(), at::IntArrayRef({3, 50, 64}));
        for (std::size_t a = 0; a < 2; ++a) {
            QVERIFY(close_relative("raw", hooked[a].raw, plain[a].raw));
            QVERIFY(close_relative("stream", hooked[a].deepstack_projected[2],
                                   plain[a].deepstack_projected[2]));
        }
    }

    void leftPaddedBatch_answersAsSingleRequestsDo() {
        const Request one{"Describe the music.", {tone(4.4, 0.05F), tone(4.0, 0.3F)}};
        const Request two{"Why?", {}};
        GenerateOptions options;
        options.max_new_tokens = 8;
        const GenerateResult both = session_->generate({one, two}, options);
        QCOMPARE(both.ids[0], session_->generate({one}, options).ids[0]);
        QCOMPARE(both.ids[1], session_->generate({two}, options).ids[0]);
    }

private:
    static ForwardHook keep(at::Tensor& place) {
        return [&place](const Module&, const at::Tensor&, const at::Tensor& output) {
            place = output;
            return at::Tensor();
        };
    }
    at::Tensor raw_of(const Request& request) {
        return session_->extract_audio_embeddings(session_->prepare({request}))[0].raw;
    }

    std::shared_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TestMoss)
#include "tst_moss.moc"
