// What only MOSS-Music has: DeepStack added between layer and hook, chunks that see nothing of each
// other, and two ways to pad short ones.
#include "core/session.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
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

    // Afterwards nothing is added: no generated position is an audio position.
    void preInjection_isTheHookItselfInEveryGeneratedStep() {
        const PreparedBatch batch = session_->prepare({{"Describe.", {tone(1.0, 0.05F)}}});
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string name = "language_model.layers." + std::to_string(k);
            std::vector<at::Tensor> before;
            std::vector<at::Tensor> after;
            const HookHandle first =
                session_->model().find(name + "#pre")->register_forward_hook(keep_all(before));
            const HookHandle second =
                session_->model().find(name)->register_forward_hook(keep_all(after));
            GenerateOptions options;
            options.max_new_tokens = 4;
            const auto ids = session_->generate(batch, options).ids[0];
            QVERIFY(ids.size() > 1);
            QCOMPARE(before.size(), ids.size());
            QCOMPARE(after.size(), ids.size());
            QVERIFY(largest_difference(before[0], after[0]) > 1e-3);
            for (std::size_t step = 1; step < before.size(); ++step) {
                QCOMPARE(before[step].size(1), 1);
                QVERIFY(close(name, after[step], before[step], 0));
            }
        }
    }

    // Every source alone, beside others in its request, and in a batch of several requests: raw,
    // projected, all streams and the hidden states.
    void chunkPadding_sourceAmongOthers_isTheSourceAlone_data() {
        QTest::addColumn<bool>("independent");
        QTest::addColumn<QVector<double>>("seconds");
        QTest::newRow("independent, from one frame to three chunks")
            << true << QVector<double>{0.011, 0.37, 1.0, 3.99, 4.0, 4.01, 5.2, 8.3};
        QTest::newRow("reference, 4 s and more")
            << false << QVector<double>{4.0, 4.01, 4.2, 5.03, 8.0, 8.3};
    }
    void chunkPadding_sourceAmongOthers_isTheSourceAlone() {
        QFETCH(bool, independent);
        QFETCH(QVector<double>, seconds);
        const auto session = independent ? load_moss(ChunkPadding::Independent) : session_;
        std::vector<Waveform> sources;
        for (const double length : seconds) {
            sources.push_back(tone(length, 0.03F + 0.01F * static_cast<float>(sources.size())));
        }
        // Two requests of the same sources in other orders, so that each has other neighbours.
        Request first{"Compare.", {}};
        Request second{"Why?", {}};
        for (std::size_t i = 0; i < sources.size(); ++i) {
            Request& request = i % 2 == 0 ? first : second;
            request.audios.emplace_back(sources[i]);
        }
        std::reverse(second.audios.begin(), second.audios.end());
        const PreparedBatch batch = session->prepare({first, second});
        const auto together = session->extract_audio_embeddings(batch);
        for (std::size_t a = 0; a < together.size(); ++a) {
            const AudioSlot& slot = batch.slots[a];
            const Request& request = slot.sample_index == 0 ? first : second;
            const auto& source = request.audios[static_cast<std::size_t>(slot.audio_index)];
            const auto alone =
                session->extract_audio_embeddings(session->prepare({{"x", {source}}}))[0];
            QVERIFY(close_relative("raw", together[a].raw, alone.raw));
            QVERIFY(close_relative("projected", together[a].projected, alone.projected));
            for (std::size_t k = 0; k < 3; ++k) {
                QVERIFY(close_relative("stream", together[a].deepstack_projected[k],
                                       alone.deepstack_projected[k]));
            }
        }
        const auto hidden = session->extract_contextual_embeddings(batch, {0, 2, -1});
        std::size_t a = 0;
        for (const Request& request : {first, second}) {
            const auto single =
                session->extract_contextual_embeddings(session->prepare({request}), {0, 2, -1});
            for (const ContextualEmbedding& source : single) {
                for (const auto& [layer, rows] : source) {
                    QVERIFY(close_relative("hidden " + std::to_string(layer), hidden[a].at(layer),
                                           rows));
                }
                ++a;
            }
        }
        QCOMPARE(a, hidden.size());
    }

    // The other side of it: with the reference's padding a source under 4 s has other numbers
    // beside a longer one, so that the checks above can fail.
    void referencePadding_briefSource_dependsOnItsNeighbour() {
        const Waveform brief = tone(0.37, 0.05F);  // 37 frames: the last token sees the padding
        const auto rows = [this](const Request& request) {
            return session_->extract_audio_embeddings(session_->prepare({request}))[0].projected;
        };
        QVERIFY(largest_difference(rows({"x", {brief, tone(5.0, 0.09F)}}), rows({"x", {brief}})) >
                1e-3);
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
        const PreparedBatch batch = session_->prepare({one, two});
        const at::Tensor logits = session_->forward(batch).logits;
        QVERIFY(close_relative("with two sources", logits[0],
                               session_->forward(session_->prepare({one})).logits[0]));
        QVERIFY(close_relative("padded on the left", logits[1],
                               session_->forward(session_->prepare({two})).logits[0]));
        QVERIFY(batch.inputs.attention_mask[1][0].item<std::int64_t>() == 0);
    }

    // The same model without tokenizer.json: vocabulary, merges and added tokens say it all.
    void slowTokenizerFiles_areEnough() {
        const QTemporaryDir folder;
        const std::filesystem::path copy =
            std::filesystem::path(folder.path().toStdString()) / "snapshot";
        std::filesystem::copy(std::filesystem::path(EARSCOPE_FIXTURES) / "moss-tiny/snapshot", copy,
                              std::filesystem::copy_options::recursive);
        std::filesystem::remove(copy / "tokenizer.json");
        LoadOptions load;
        load.device = "cpu";
        load.dtype = at::kFloat;
        const auto slow = load_model(copy, load);
        const Request request{"Wie klingt das?\n音楽 é é 12345",
                              {tone(4.4, 0.05F), tone(1.0, 0.3F)}};
        const PreparedBatch wanted = session_->prepare({request});
        const PreparedBatch got = slow->prepare({request});
        QVERIFY(at::equal(got.inputs.input_ids, wanted.inputs.input_ids));
        QCOMPARE(got.expanded_prompt, wanted.expanded_prompt);
        GenerateOptions options;
        options.max_new_tokens = 8;
        QCOMPARE(slow->generate({request}, options).texts,
                 session_->generate({request}, options).texts);
        std::filesystem::remove(copy / "merges.txt");
        QVERIFY_EXCEPTION_THROWN(load_model(copy, load), SnapshotError);
    }

private:
    static ForwardHook keep(at::Tensor& place) {
        return [&place](const Module&, const at::Tensor&, const at::Tensor& output) {
            place = output;
            return at::Tensor();
        };
    }
    static ForwardHook keep_all(std::vector<at::Tensor>& places) {
        return [&places](const Module&, const at::Tensor&, const at::Tensor& output) {
            places.push_back(output);
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
