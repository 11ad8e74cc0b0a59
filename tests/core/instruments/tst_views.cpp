// What the instruments show: lens, attention, saliency, alternatives, layer views, held against the
// model's own numbers; and that they leave the model as it was.
#include "core/instruments/alternatives.h"
#include "core/instruments/answer.h"
#include "core/instruments/attention_maps.h"
#include "core/instruments/capture.h"
#include "core/instruments/layer_views.h"
#include "core/instruments/lens.h"
#include "core/instruments/saliency.h"
#include "tests/core/instruments/support.h"

#include <ATen/Parallel.h>

#include <array>

using namespace earscope;
using namespace earscope::testing;

namespace {

std::string language(bool moss) {
    return moss ? "language_model" : "model.language_model";
}

std::vector<Edit> edit(const std::string& text) {
    return {parse_edit(text)};
}

/// Every instrument once, under an edit.
void use_everything(Session& session, const PreparedBatch& batch, bool moss,
                    const CallOptions& call = {}) {
    const auto edits = edit(language(moss) + ".layers.1@audio:0=noise:0.5");
    GenerateOptions generate = short_answer(3);
    generate.stop = call.stop;
    generate.progress = call.progress;
    const std::vector<std::string> probes{language(moss) + ".layers.*@audio:0",
                                          language(moss) + ".layers.0@generated", "lm_head#in"};
    capture(session, batch, probes, {true, true, false}, edits, generate);
    logit_lens(session, batch, {{0, 2}, Positions::All, 3}, edits, call);
    layer_views(session, batch, {1}, edits, call);
    attention_maps(session, batch, {{0, 2}, {1}, generate}, edits);
    saliency(session, batch, {1, parse_saliency_method("integrated:2"), generate}, edits);
    token_alternatives(session, batch, 3, generate, edits);
}

}  // namespace

class TestViews : public QObject {
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

    void lens_atTheLastLayer_isTheModelsOwnLogits_data() { both_families(); }
    void lens_atTheLastLayer_isTheModelsOwnLogits() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare(padded_pair());
        const std::int64_t last = session(moss).model().layer_count();
        const LensResult lens = logit_lens(session(moss), batch, {{last, 1}, Positions::All, 6});
        ForwardOptions full;
        full.full_logits = true;
        const at::Tensor logits = session(moss).forward(batch, full).logits;
        const at::Tensor rows =
            logits.index({lens.positions.select(1, 0), lens.positions.select(1, 1)});
        QCOMPARE(rows.size(0), batch.inputs.attention_mask.sum().item<std::int64_t>());
        const TopChoices own = top_choices(rows, 6);
        QVERIFY(at::equal(lens.choices[0].ids, own.ids));
        // Products over other numbers of rows at once: float32 rounding.
        QVERIFY(close("log-probabilities", lens.choices[0].logprobs, own.logprobs, 1e-4));
        QVERIFY(!at::equal(lens.choices[1].ids, own.ids));
    }

    void lens_positions_areThoseAskedFor_data() { both_families(); }
    void lens_positions_areThoseAskedFor() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare(padded_pair());
        const at::Tensor last = chosen_positions(batch, Positions::Last);
        const std::int64_t end = batch.inputs.input_ids.size(1) - 1;
        QVERIFY(at::equal(
            last,
            at::tensor({std::int64_t{0}, end, std::int64_t{1}, end}, at::kLong).view({2, 2})));
        std::int64_t tokens = 0;
        for (const AudioSlot& slot : batch.slots) {
            tokens += slot.token_count;
        }
        QCOMPARE(chosen_positions(batch, Positions::Audio).size(0), tokens);
        const PreparedBatch text = session(moss).prepare({{"Only text.", {}}});
        const LensResult none = logit_lens(session(moss), text, {{0}, Positions::Audio, 4});
        QCOMPARE(none.choices[0].ids.sizes().vec(), (std::vector<std::int64_t>{0, 4}));
        QVERIFY(refused([&] {
                    logit_lens(session(moss), text, {{99}, Positions::Last, 1});
                }).contains("layer 99"));
        QVERIFY(refused([&] {
                    logit_lens(session(moss), text, {{0}, Positions::Last, 99999});
                }).contains("99999"));
    }

    void topIndices_ties_goToTheLowerIndex() {
        const at::Tensor values = at::tensor({1.F, 3.F, 2.F, 3.F, 2.F, 2.F,  //
                                              0.F, 0.F, 0.F, 0.F, 0.F, 0.F,  //
                                              5.F, 4.F, 3.F, 2.F, 1.F, 0.F})
                                      .view({3, 6});
        const at::Tensor want = at::tensor({1, 3, 2, 0, 1, 2, 0, 1, 2}, at::kLong).view({3, 3});
        QVERIFY(at::equal(top_indices(values, 3), want));
        QVERIFY(at::equal(top_indices(values, 6)[0], at::tensor({1, 3, 2, 4, 5, 0}, at::kLong)));
        const at::Tensor many = at::zeros({1, 5000});
        QVERIFY(at::equal(top_indices(many, 7)[0], at::arange(7)));
    }

    void integratedGradients_nearTheDifference_asStepsGrow_data() { both_families(); }
    void integratedGradients_nearTheDifference_asStepsGrow() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        std::vector<double> off;
        for (const int steps : {8, 32, 64, 512}) {
            const SaliencyResult result =
                saliency(session(moss), batch,
                         {1, {SaliencyMethod::Kind::Integrated, steps}, short_answer()});
            const double difference = result.logprob - result.logprob_silence.value();
            off.push_back(std::abs(result.sum - difference) / std::abs(difference));
            qInfo("%d steps: sum %.5f, difference %.5f, %.2f %% off", steps, result.sum, difference,
                  100 * off.back());
        }
        QVERIFY(off[2] < off[0] && off[3] < off[0]);
        QVERIFY(off[3] < 0.02);
    }

    void saliency_gradient_isTheSlopeOfTheLogProbability_data() { both_families(); }
    void saliency_gradient_isTheSlopeOfTheLogProbability() {
        QFETCH(const bool, moss);
        PreparedBatch batch = session(moss).prepare({two_sources()});
        const SaliencyOptions options{0, parse_saliency_method("gradient"), short_answer(1)};
        const SaliencyResult result = saliency(session(moss), batch, options);
        QCOMPARE(result.share.size(), std::size_t{2});
        QVERIFY(std::abs(result.share[0] + result.share[1] - 1) < 1e-9);
        // A small step along the gradient raises the log-probability by step * |gradient|^2.
        const double square = result.mel.to(at::kDouble).square().sum().item<double>();
        const double step = 1e-3 / std::sqrt(square);
        const auto logprob_at = [&](double sign) {
            PreparedBatch moved = batch;
            moved.inputs.mel = batch.inputs.mel + result.mel * (sign * step);
            const at::Tensor logits = session(moss).forward(moved).logits.select(1, 0);
            return at::log_softmax(logits.to(at::kDouble), -1)[0][result.id].item<double>();
        };
        const double slope = (logprob_at(1) - logprob_at(-1)) / (2 * step);
        // float32 forward passes: about 1e-6 in either value, against a difference of 1e-3.
        QVERIFY2(std::abs(slope / square - 1) < 0.02, qPrintable(QString::number(slope / square)));
    }

    void saliency_whatCannotBe_isRefused() {
        const PreparedBatch pair = session(false).prepare(padded_pair());
        const PreparedBatch text = session(false).prepare({{"Only text.", {}}});
        const PreparedBatch one = session(false).prepare({one_source()});
        const auto message = [&](const PreparedBatch& batch, std::int64_t token) {
            return refused([&] { saliency(session(false), batch, {token, {}, short_answer(2)}); });
        };
        QVERIFY(message(pair, 0).contains("one request"));
        QVERIFY(message(text, 0).contains("audio"));
        QVERIFY(message(one, 2).contains("token 2"));
        QVERIFY(message(one, -1).contains("token -1"));
        for (const char* method : {"", "gradients", "integrated", "integrated:", "integrated:0",
                                   "integrated:-1", "integrated:2x", "integrated:9999999"}) {
            QVERIFY2(!refused([&] { parse_saliency_method(method); }).isEmpty(), method);
        }
    }

    void alternatives_areTheDistributionOfEachStep_data() { both_families(); }
    void alternatives_areTheDistributionOfEachStep() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare(padded_pair());
        const AlternativesResult all = token_alternatives(session(moss), batch, 4, short_answer(3));
        const at::Tensor first = session(moss).forward(batch).logits.select(1, 0);
        const at::Tensor own = at::log_softmax(first.to(at::kDouble), -1);
        for (std::size_t b = 0; b < 2; ++b) {
            const TokenAlternatives& token = all.tokens[b][0];
            const at::Tensor row = own[static_cast<std::int64_t>(b)];
            QVERIFY(std::abs(token.logprob - row[token.id].item<double>()) < 1e-4);
            const double entropy = -(row.exp() * row).sum().item<double>();
            QVERIFY(std::abs(token.entropy - entropy) < 1e-3);
            QCOMPARE(token.top.front().id, token.id);  // greedy
            QCOMPARE(token.top.size(), std::size_t{4});
        }
    }

    void continuing_withTheSameToken_changesNothing_data() { both_families(); }
    void continuing_withTheSameToken_changesNothing() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        const GenerateOptions plain = short_answer(6);
        const GenerateResult answer = session(moss).generate(batch, plain);
        for (std::size_t g = 0; g < answer.ids[0].size(); ++g) {
            GenerateOptions same = plain;
            same.replace = TokenReplacement{static_cast<std::int64_t>(g), answer.ids[0][g]};
            QCOMPARE(session(moss).generate(batch, same).ids, answer.ids);
        }
        GenerateOptions stopped = plain;
        stopped.replace = TokenReplacement{1, session(moss).processor().eos_token_ids.front()};
        const GenerateResult short_one = session(moss).generate(batch, stopped);
        QCOMPARE(short_one.ids[0].size(), std::size_t{2});
        QCOMPARE(short_one.finish[0], Finish::Eos);
    }

    void continuing_anAudioToken_isAnOrdinaryToken_data() { both_families(); }
    void continuing_anAudioToken_isAnOrdinaryToken() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        GenerateOptions options = short_answer(4);
        options.replace = TokenReplacement{0, session(moss).processor().audio_token_id};
        const AttentionResult maps = attention_maps(session(moss), batch, {{0}, {}, options});
        QCOMPARE(maps.answer.ids[0][0], session(moss).processor().audio_token_id);
        QVERIFY(
            close("sums", maps.weights[0].sum(-1), at::ones_like(maps.weights[0].sum(-1)), 1e-5));
        const SaliencyResult map = saliency(session(moss), batch, {1, {}, options});
        QVERIFY(map.mel.isfinite().all().item<bool>());
    }

    void continuing_fromWhatIsNotThere_isRefused() {
        const PreparedBatch batch = session(false).prepare({one_source()});
        const auto message = [&](std::int64_t index, std::int64_t id) {
            GenerateOptions options = short_answer(3);
            options.replace = TokenReplacement{index, id};
            return refused([&] { session(false).generate(batch, options); });
        };
        QVERIFY(message(3, 5).contains("token 3"));
        QVERIFY(message(-1, 5).contains("token -1"));
        QVERIFY(message(0, -1).contains("id -1"));
        QVERIFY(message(0, 1'000'000).contains("id 1000000"));
        GenerateOptions pair = short_answer(2);
        pair.replace = TokenReplacement{0, 5};
        QVERIFY(
            refused([&] { session(false).generate(padded_pair(), pair); }).contains("one request"));
    }

    void layerViews_areFiguresOfTheHiddenStates_data() { both_families(); }
    void layerViews_areFiguresOfTheHiddenStates() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        const LayerViews views = layer_views(session(moss), batch, {3, 0});
        const auto hidden = session(moss).forward(batch, true).hidden_states;
        const auto count = static_cast<std::int64_t>(hidden.size());
        QCOMPARE(views.norm.size(0), count);
        for (std::int64_t l = 0; l < count; ++l) {
            const at::Tensor now = hidden[static_cast<std::size_t>(l)];
            QVERIFY(close_relative("norm", views.norm[l], now.norm(2, -1)));
            if (l > 0) {
                const at::Tensor want =
                    at::cosine_similarity(hidden[static_cast<std::size_t>(l - 1)], now, -1);
                QVERIFY(close("cosine", views.cosine_to_before[l], want, 1e-5));
            }
        }
        QVERIFY(at::equal(views.states[0], hidden[3]));
        QVERIFY(at::equal(views.states[1], hidden[0]));
    }

    void greedyRuns_withEverythingUsedInBetween_areIdentical_data() { both_families(); }
    void greedyRuns_withEverythingUsedInBetween_areIdentical() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        const auto run = [&] {
            std::vector<at::Tensor> logits;
            GenerateOptions options = short_answer(8);
            options.on_logits = [&](const at::Tensor& step, const at::Tensor&) {
                logits.push_back(step.clone());
            };
            const GenerateResult answer = session(moss).generate(batch, options);
            return std::pair(answer, at::stack(logits));
        };
        const auto before = run();
        use_everything(session(moss), batch, moss);
        const auto after = run();
        QCOMPARE(after.first.texts, before.first.texts);
        QCOMPARE(after.first.ids, before.first.ids);
        QVERIFY(at::equal(after.second, before.second));
    }

    void handles_areGone_afterCancelAtAnyReport_data() { both_families(); }
    void handles_areGone_afterCancelAtAnyReport() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        int cancelled = 0;
        for (int at = 1; at < 400; at += 7) {
            const test::StopAt stop;
            CallOptions call;
            call.stop = stop.token();
            call.progress = stop.at(at);
            try {
                use_everything(session(moss), batch, moss, call);
            } catch (const Cancelled&) {
                ++cancelled;
            }
            QVERIFY2(!session(moss).model().any_hook_below(), qPrintable(QString::number(at)));
            if (stop.reports() < at) {
                break;
            }
        }
        QVERIFY(cancelled > 5);
    }

    void handles_areGone_afterErrors_data() { both_families(); }
    void handles_areGone_afterErrors() {
        QFETCH(const bool, moss);
        Session& model = session(moss);
        const PreparedBatch batch = model.prepare({one_source()});
        const auto good = edit(language(moss) + ".layers.0=add:1");
        std::vector<Edit> bad = good;
        bad.push_back(parse_edit(language(moss) + ".layers.9=add:1"));
        const std::vector<std::string> probes{language(moss) + ".layers.0", "nothing"};
        const std::vector<std::function<void()>> calls{
            [&] { capture(model, batch, probes, {}, good); },
            [&] {
                logit_lens(model, batch, {{0}, Positions::Last, 1}, bad);
            },
            [&] { layer_views(model, batch, {99}, good); },
            [&] {
                attention_maps(model, batch, {{0}, {99}, short_answer()}, good);
            },
            [&] {
                saliency(model, batch, {9, {}, short_answer(2)}, good);
            },
            [&] { token_alternatives(model, batch, 0, short_answer(), good); }};
        for (const auto& call : calls) {
            QVERIFY(!refused(call).isEmpty());
            QCOMPARE(model.model().any_hook_below(), false);
        }
    }

    void handles_areGone_afterAHookThatThrows_data() { both_families(); }
    void handles_areGone_afterAHookThatThrows() {
        QFETCH(const bool, moss);
        Model& model = session(moss).model();
        const PreparedBatch batch = session(moss).prepare({one_source()});
        const auto edits = edit(language(moss) + ".layers.0@audio:0=add:1");
        const std::vector<std::string> probes{language(moss) + ".layers.1"};
        {
            const HookHandle thrower =
                model.find(language(moss) + ".layers.1")
                    ->register_forward_hook(
                        [](const Module&, const at::Tensor&, const at::Tensor&) -> at::Tensor {
                            throw std::runtime_error("on purpose");
                        });
            const auto message = [&](const std::function<void()>& call) {
                return refused(call).contains("on purpose");
            };
            QVERIFY(message([&] { capture(session(moss), batch, probes, {}, edits); }));
            QVERIFY(message([&] {
                logit_lens(session(moss), batch, {{3}, Positions::Last, 1}, edits);
            }));
            QVERIFY(message([&] {
                saliency(session(moss), batch, {0, {}, short_answer()}, edits);
            }));
            QCOMPARE(model.find(language(moss) + ".layers.0")->hook_count(), std::size_t{0});
            QCOMPARE(model.find(language(moss) + ".layers.1")->hook_count(), std::size_t{1});
        }
        QCOMPARE(model.any_hook_below(), false);
    }

    void cleanPass_underNoise_meetsTheNoiseOfTheGeneration_data() { both_families(); }
    void cleanPass_underNoise_meetsTheNoiseOfTheGeneration() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source()});
        const auto edits = edit(language(moss) + ".layers.1=noise:0.3:11");
        const AlternativesResult answer =
            token_alternatives(session(moss), batch, 1, short_answer(3), edits);
        const SaliencyResult map = saliency(session(moss), batch, {2, {}, short_answer(3)}, edits);
        QCOMPARE(map.id, answer.tokens[0][2].id);
        QVERIFY(std::abs(map.logprob - answer.tokens[0][2].logprob) < 1e-3);
    }
};

QTEST_GUILESS_MAIN(TestViews)
#include "tst_views.moc"
