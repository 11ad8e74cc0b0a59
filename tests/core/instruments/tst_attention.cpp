// Weights from captured queries and keys against those of eager attention itself.
#include "core/instruments/answer.h"
#include "core/instruments/attention_maps.h"
#include "tests/core/instruments/support.h"

#include <ATen/Parallel.h>

#include <array>

using namespace earscope;
using namespace earscope::testing;

namespace {

std::string language(bool moss) {
    return moss ? "language_model" : "model.language_model";
}

/// The weights that eager attention itself multiplies values by: values are replaced by unit
/// vectors, so that what enters the output projection is a stretch of the weights' columns.
/// @return [B,H,L,K]
at::Tensor eager_weights(Session& session, const PreparedBatch& whole, bool moss, int layer) {
    Model& model = session.model();
    const std::string attention =
        language(moss) + ".layers." + std::to_string(layer) + ".self_attn";
    const std::int64_t width = model.head_dim();
    const std::int64_t keys = whole.inputs.input_ids.size(1);
    std::vector<at::Tensor> columns;
    for (std::int64_t begin = 0; begin < keys; begin += width) {
        at::Tensor seen;
        const HookHandle values =
            model.find(attention + ".v_proj")
                ->register_forward_hook([&](const Module&, const at::Tensor&,
                                            const at::Tensor& output) {
                    at::Tensor units = at::zeros({keys, width});
                    const std::int64_t count = std::min(width, keys - begin);
                    units.narrow(0, begin, count).copy_(at::eye(count, width));
                    return units.repeat({1, output.size(2) / width}).expand(output.sizes()).clone();
                });
        const HookHandle out =
            model.find(attention + ".o_proj")
                ->register_forward_pre_hook([&](const Module&, const at::Tensor& input) {
                    seen = input.view({input.size(0), keys, -1, width}).transpose(1, 2).clone();
                    return at::Tensor();
                });
        ForwardOptions options;
        options.run_layers = layer + 1;
        session.forward(whole, options);
        columns.push_back(seen.narrow(3, 0, std::min(width, keys - begin)));
    }
    return at::cat(columns, 3);
}

}  // namespace

class TestAttention : public QObject {
    Q_OBJECT

    std::array<std::shared_ptr<Session>, 2> sessions_;

    Session& session(bool moss) { return *sessions_[moss ? 1 : 0]; }

private Q_SLOTS:
    void initTestCase() {
        at::set_num_threads(1);  // small products: threads only wait for each other
        sessions_ = {load_family(false), load_family(true)};
    }
    void cleanup() {
        for (const auto& session : sessions_) {
            QCOMPARE(session->model().any_hook_below(), false);
        }
    }

    void attention_equalsEager_andRowsSumToOne_data() { both_families(); }
    void attention_equalsEager_andRowsSumToOne() {
        QFETCH(const bool, moss);
        const auto eager = load_family(moss, Attention::Eager);
        const PreparedBatch batch = session(moss).prepare(padded_pair());
        const std::vector<std::int64_t> heads{2, 0};
        const AttentionResult maps =
            attention_maps(session(moss), batch, {{2, 0}, heads, short_answer()});
        const std::int64_t steps = maps.generated_ids.size(1);
        const std::int64_t width = batch.inputs.input_ids.size(1);
        const PreparedBatch whole =
            with_answers(batch, maps.answer.ids, steps - 1, session(moss).processor().pad_token_id);
        for (const int layer : {2, 0}) {
            const at::Tensor& weights = maps.weights[layer == 2 ? 0 : 1];
            QCOMPARE(weights.sizes().vec(),
                     (std::vector<std::int64_t>{2, 2, steps, width + steps - 1}));
            const at::Tensor own = eager_weights(*eager, whole, moss, layer)
                                       .narrow(2, width - 1, steps)
                                       .index_select(1, at::tensor(heads, at::kLong));
            for (std::int64_t b = 0; b < 2; ++b) {
                const auto length =
                    static_cast<std::int64_t>(maps.answer.ids[static_cast<std::size_t>(b)].size());
                const at::Tensor rows = weights[b].narrow(1, 0, length);
                QVERIFY(close("eager", rows, own[b].narrow(1, 0, length), 1e-5));
                QVERIFY(close("sums", rows.sum(-1), at::ones({2, length}), 1e-5));
            }
            const at::Tensor padded = batch.inputs.attention_mask[0] == 0;
            QVERIFY(padded.sum().item<std::int64_t>() > 0);
            QCOMPARE((weights[0].narrow(2, 0, width) * padded).abs().max().item<double>(), 0.0);
            QCOMPARE(weights.select(2, 0).narrow(2, width, steps - 1).abs().sum().item<double>(),
                     0.0);
        }
        QVERIFY(refused([&] {
                    attention_maps(session(moss), batch, {{0}, {99}, short_answer()});
                }).contains("head 99"));
    }

    void attention_rowsOfThePrompt_equalEager_andSumToOne_data() { both_families(); }
    void attention_rowsOfThePrompt_equalEager_andSumToOne() {
        QFETCH(const bool, moss);
        const auto eager = load_family(moss, Attention::Eager);
        const PreparedBatch batch = session(moss).prepare(padded_pair());
        const std::int64_t width = batch.inputs.input_ids.size(1);
        const std::int64_t padding =
            (batch.inputs.attention_mask[0] == 0).sum().item<std::int64_t>();
        QVERIFY(padding > 4);
        // Some rows of padding of the first request, and real ones of both.
        const PositionSpan span{padding - 3, padding + 17};
        const std::int64_t rows = span.end - span.first;
        AttentionOptions options{{2, 0}, {3, 0, 1}, short_answer()};
        options.rows = span;
        const AttentionResult maps = attention_maps(session(moss), batch, options);
        QCOMPARE(maps.weights.size(), std::size_t{2});
        for (const int layer : {2, 0}) {
            const at::Tensor& weights = maps.row_weights[layer == 2 ? 0 : 1];
            QCOMPARE(weights.sizes().vec(), (std::vector<std::int64_t>{2, 3, rows, width}));
            const at::Tensor own = eager_weights(*eager, batch, moss, layer)
                                       .narrow(2, span.first, rows)
                                       .index_select(1, at::tensor({3, 0, 1}, at::kLong));
            QVERIFY(close("eager", weights[1], own[1], 1e-5));
            QVERIFY(close("eager, padded", weights[0].narrow(1, 3, rows - 3),
                          own[0].narrow(1, 3, rows - 3), 1e-5));
            QVERIFY(close("sums", weights[1].sum(-1), at::ones({3, rows}), 1e-5));
            QVERIFY(close("sums, padded", weights[0].narrow(1, 3, rows - 3).sum(-1),
                          at::ones({3, rows - 3}), 1e-5));
            QCOMPARE(weights[0].narrow(1, 0, 3).abs().max().item<double>(), 0.0);
            QCOMPARE(weights[0].narrow(2, 0, padding).abs().max().item<double>(), 0.0);
            const std::int64_t seen = span.first + 1;
            QCOMPARE(
                weights[1].select(1, 0).narrow(1, seen, width - seen).abs().sum().item<double>(),
                0.0);
        }

        // The last row of the prompt is that of the first generated token.
        options.rows = PositionSpan{width - 1, width};
        const AttentionResult last = attention_maps(session(moss), batch, options);
        QVERIFY(close("last row", last.row_weights[0].select(2, 0),
                      last.weights[0].select(2, 0).narrow(2, 0, width), 1e-6));
        options.answer = false;
        const AttentionResult alone = attention_maps(session(moss), batch, options);
        QVERIFY(alone.weights.empty() && alone.answer.ids.empty());
        // Products over other numbers of rows at once: float32 rounding.
        QVERIFY(close("without an answer", alone.row_weights[0], last.row_weights[0], 1e-5));
    }

    void attention_rowsThatCannotBeShown_areRefused() {
        const PreparedBatch batch = session(true).prepare({one_source(30)});
        const std::int64_t width = batch.inputs.input_ids.size(1);
        QVERIFY(width > kMostRows);
        const auto message = [&](std::int64_t first, std::int64_t end) {
            AttentionOptions options{{0}, {0}, short_answer()};
            options.rows = PositionSpan{first, end};
            return refused([&] { attention_maps(session(true), batch, options); });
        };
        QVERIFY(message(0, kMostRows + 1).contains("at most 256"));
        QVERIFY(message(5, 5).contains("greater than the first"));
        QVERIFY(message(5, 4).contains("greater than the first"));
        QVERIFY(message(-1, 4).contains("0 to " + QByteArray::number(width - 1)));
        QVERIFY(message(width - 1, width + 1).contains("at most " + QByteArray::number(width)));
        const PositionSpan span = parse_span("12:90");
        QVERIFY(span.first == 12 && span.end == 90);
        for (const char* text : {"", ":", "3", "3:", ":3", "3-4", "3:4:5", "a:b", " 3:4"}) {
            QVERIFY2(refused([&] { parse_span(text); }).contains("expected P0:P1"), text);
        }
    }
};

QTEST_GUILESS_MAIN(TestAttention)
#include "tst_attention.moc"
