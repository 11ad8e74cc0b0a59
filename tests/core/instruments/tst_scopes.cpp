// Where probes and edits act: names, patterns, scopes, saved tensors; and what they leave behind.
#include "core/export/tensor_export.h"
#include "core/instruments/capture.h"
#include "core/instruments/edits.h"
#include "core/instruments/probes.h"
#include "tests/core/instruments/support.h"

#include <ATen/Parallel.h>
#include <QTemporaryDir>

#include <algorithm>
#include <chrono>

using namespace earscope;
using namespace earscope::testing;

namespace {

std::vector<std::string> names_of(Module& model, const char* pattern) {
    std::vector<std::string> names;
    for (const Place& place : find_places(model, pattern)) {
        names.push_back(place.name);
    }
    return names;
}

std::vector<Edit> edits(const std::vector<std::string>& texts) {
    std::vector<Edit> parsed;
    for (const std::string& text : texts) {
        parsed.push_back(parse_edit(text));
    }
    return parsed;
}

std::string layer(bool moss, int index) {
    return std::string(moss ? "" : "model.") + "language_model.layers." + std::to_string(index);
}

}  // namespace

class TestScopes : public QObject {
    Q_OBJECT

    std::array<std::shared_ptr<Session>, 2> sessions_;
    std::array<PreparedBatch, 2> batches_;  // two requests, the first padded

    Session& session(bool moss) { return *sessions_[moss ? 1 : 0]; }
    const PreparedBatch& batch(bool moss) { return batches_[moss ? 1 : 0]; }

    at::Tensor logits(bool moss, const std::vector<std::string>& texts) {
        const EditSet set(session(moss).model(), edits(texts), batch(moss));
        ForwardOptions options;
        options.full_logits = true;
        const at::Tensor all = session(moss).forward(batch(moss), options).logits;
        return all * batch(moss).inputs.attention_mask.unsqueeze(-1);  // padding means nothing
    }

    std::vector<Capture> captured(bool moss, const std::vector<std::string>& probes,
                                  const std::vector<std::string>& texts = {},
                                  ProbeOptions options = {}) {
        return capture(session(moss), batch(moss), probes, options, edits(texts), short_answer())
            .captures;
    }

private Q_SLOTS:
    void initTestCase() {
        at::set_num_threads(1);  // small products: threads only wait for each other
        for (const bool moss : {false, true}) {
            sessions_[moss ? 1 : 0] = load_family(moss);
            batches_[moss ? 1 : 0] = session(moss).prepare(padded_pair());
        }
    }
    void cleanup() {
        for (const auto& session : sessions_) {
            QCOMPARE(session->model().any_hook_below(), false);
        }
    }

    void parseTarget_everyForm_isWrittenBack_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"a.b", "", "a#pre", "a.*.b@last", "layers:0-7@audio:3",
                                 "a@range:1:0.5:2.25", "a#pre@generated", "a@range:0:1:1"}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }
    void parseTarget_everyForm_isWrittenBack() {
        QFETCH(const QByteArray, text);
        QCOMPARE(QByteArray::fromStdString(target_text(parse_target(text.toStdString()))), text);
    }

    void parseTarget_malformedScope_isRefused_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"a@", "a@first", "a@audio", "a@audio:", "a@audio:-1", "a@audio:x", "a@audio:1:2",
              "a@range:0", "a@range:0:1", "a@range:0:2:1", "a@range:0:x:1", "a@range:0:0:nan",
              "a@range:0:0:1:2", "a@last:1", "a@all:0", "a@audio:99999999999999999999"}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }
    void parseTarget_malformedScope_isRefused() {
        QFETCH(const QByteArray, text);
        const QByteArray message = refused([&] { parse_target(text.toStdString()); });
        QVERIFY2(message.contains(text) && message.contains("range:A:T0:T1"), message.constData());
    }

    void patterns_standForTheRightModules() {
        Model& flamingo = session(false).model();
        Model& moss = session(true).model();
        QCOMPARE(names_of(moss, "layers:1-2"),
                 (std::vector<std::string>{"language_model.layers.1", "language_model.layers.2"}));
        QCOMPARE(names_of(flamingo, "layers:3"), std::vector<std::string>{layer(false, 3)});
        QCOMPARE(names_of(flamingo, "model.language_model.layers.*").size(), std::size_t{4});
    }

    void patterns_starTakesNoDot_andOneCharacterAtLeast() {
        Model& moss = session(true).model();
        QCOMPARE(names_of(moss, "language_model.layers.*.mlp").size(), std::size_t{5});
        QCOMPARE(names_of(moss, "language_model.layers.0.self_attn.*_proj").size(), std::size_t{4});
        QCOMPARE(names_of(moss, "lm_*").size(), std::size_t{1});
        QVERIFY(!refused([&] { find_places(moss, "lm_head*"); }).isEmpty());
        QVERIFY(!refused([&] { find_places(moss, "language_model.*.mlp"); }).isEmpty());
    }

    void patterns_pre_areTheInjectedLayersAlone() {
        Model& moss = session(true).model();
        QCOMPARE(
            names_of(moss, "language_model.layers.*#pre"),
            (std::vector<std::string>{"language_model.layers.0#pre", "language_model.layers.1#pre",
                                      "language_model.layers.2#pre"}));
        QCOMPARE(names_of(moss, "layers:0-1#pre").size(), std::size_t{2});
        QVERIFY(refused([&] { find_places(moss, "layers:0-4#pre"); }).contains("layers.3"));
        QVERIFY(refused([&] {
                    find_places(session(false).model(), "layers:0-0#pre");
                }).contains("nothing is added"));
    }

    void places_thatDoNotExist_areRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* text, const char* says) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(says);
        };
        row("model.language_model.layer.1", "model.language_model.layers.1");
        row("layers:0-4", "layers 0 to 3");
        row("layers:2-1", "layers 0 to 3");
        row("layers:", "layers 0 to 3");
        row("layers:-1", "layers 0 to 3");
        row("model.language_model.layer.*", "no module fits");
        row("lm_head@last", "language model");
        row("model.audio_tower@audio:0", "language model");
    }
    void places_thatDoNotExist_areRefused() {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, says);
        const std::vector<std::string> probes{text.toStdString()};
        const QByteArray message = refused([&] { check_probes(session(false).model(), probes); });
        QVERIFY2(message.contains(says), message.constData());
        QVERIFY(!refused([&] {
                     check_edits(session(false).model(), edits({text.toStdString() + "=zero"}));
                 }).isEmpty());
    }

    void scopes_ofASourceThatIsNotThere_areRefused() {
        const std::vector<std::string> probes{layer(false, 0) + "@audio:3"};
        QVERIFY(refused([&] { captured(false, probes); }).contains("sources 0 to 2"));
    }

    void scopedRows_areThoseOfTheWholeOutput_data() { both_families(); }
    void scopedRows_areThoseOfTheWholeOutput() {
        QFETCH(const bool, moss);
        const std::string name = layer(moss, 1);
        const auto all = captured(moss, {name, name + "@audio:1", name + "@last",
                                         name + "@range:1:0.16:0.4", name + "#in"});
        const at::Tensor whole = all[0].values;
        const AudioSlot& slot = batch(moss).slots[1];
        QVERIFY(at::equal(all[1].values,
                          whole[slot.sample_index].index_select(0, slot.token_positions)));
        QVERIFY(at::equal(all[1].positions, slot.token_positions));
        QVERIFY(at::equal(all[1].requests, at::full_like(all[1].positions, 1)));
        QVERIFY(at::equal(all[2].values, whole.select(1, -1)));
        const at::Tensor in_range =
            (slot.time_s >= 0.159).logical_and(slot.time_s < 0.399).nonzero().flatten();
        QVERIFY(in_range.numel() > 1);
        QVERIFY(at::equal(all[3].values, all[1].values.index_select(0, in_range)));
        QCOMPARE(QByteArray::fromStdString(all[4].name), QByteArray::fromStdString(name + "#in"));
        QVERIFY(at::equal(all[4].values, captured(moss, {layer(moss, 0)})[0].values));
    }

    void generatedRows_areCapturedStepByStep_data() { both_families(); }
    void generatedRows_areCapturedStepByStep() {
        QFETCH(const bool, moss);
        const std::string probe = layer(moss, 2) + "@generated";
        const Capture one = captured(moss, {probe})[0];
        const std::int64_t width = batch(moss).inputs.input_ids.size(1);
        QCOMPARE(one.values.size(0), one.positions.size(0));
        QVERIFY(one.positions.min().item<std::int64_t>() == width);
        QVERIFY(one.positions.max().item<std::int64_t>() <= width + 2);  // the 4th is not fed back
        QVERIFY(one.values.size(0) > 3 && one.values.size(0) <= 6);
    }

    void edits_actInTheirScopeAlone_data() { both_families(); }
    void edits_actInTheirScopeAlone() {
        QFETCH(const bool, moss);
        const std::string name = layer(moss, 0);
        const at::Tensor plain = captured(moss, {name})[0].values;
        const at::Tensor edited = captured(moss, {name}, {name + "@audio:0=add:2"})[0].values;
        const at::Tensor moved = (edited - plain).abs().amax(-1) > 0;  // [B,L]
        at::Tensor inside = at::zeros_like(moved);
        const AudioSlot& slot = batch(moss).slots[0];
        inside[slot.sample_index].index_fill_(0, slot.token_positions, true);
        QVERIFY(at::equal(moved, inside));
    }

    void scaleByOne_changesNothing_data() { both_families(); }
    void scaleByOne_changesNothing() {
        QFETCH(const bool, moss);
        const at::Tensor plain = logits(moss, {});
        for (const char* scope : {"", "@audio:0", "@last", "@range:0:0:9", "@generated"}) {
            QVERIFY2(
                at::equal(logits(moss, {"layers:0-3" + std::string(scope) + "=scale:1"}), plain),
                scope);
        }
    }

    void patchingWithOwnCaptures_changesNothing_data() { both_families(); }
    void patchingWithOwnCaptures_changesNothing() {
        QFETCH(const bool, moss);
        const std::string name = layer(moss, 1);
        const std::vector<std::string> probes{name + "@audio:1", name + "@last", name,
                                              name + ".mlp@audio:0"};
        std::vector<NamedTensor> tensors;
        for (const Capture& one : captured(moss, probes)) {
            tensors.push_back({"probe." + one.name, one.values});
        }
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("own.safetensors")).toStdString();
        export_tensors(file, tensors, {});
        const at::Tensor plain = logits(moss, {});
        for (const std::string& probe : probes) {
            const at::Tensor patched = logits(moss, {probe + "=from:" + file + "#probe." + probe});
            QVERIFY2(at::equal(patched, plain), probe.c_str());
        }
        const at::Tensor others =
            logits(moss, {name + ".mlp@audio:0=from:" + file + "#probe." + name + ".mlp@audio:0",
                          name + "@last=zero"});
        QVERIFY(!at::equal(others, plain));
    }

    void savedTensor_thatDoesNotFit_isRefused() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("x.safetensors")).toStdString();
        export_tensors(file,
                       std::vector<NamedTensor>{{"two", at::zeros({2, 96})},
                                                {"narrow", at::zeros({2, 95})},
                                                {"count", at::zeros({2}, at::kBool)}},
                       {});
        const std::string name = layer(false, 1);
        const auto message = [&](const std::string& edit) {
            return refused([&] { logits(false, {edit}); });
        };
        QVERIFY(message(name + "@last=from:" + file + "#two").isEmpty());
        QVERIFY(message(name + "@audio:0=from:" + file + "#two").contains("rows"));
        QVERIFY(message(name + "@last=from:" + file + "#narrow").contains("[2,95]"));
        QVERIFY(message(name + "@last=from:" + file + "#tow").contains("'two'"));
        QVERIFY(message(name + "@last=from:" + file + "#count").contains("BOOL"));
        QVERIFY(message(name + "=from:" + file + "#two").contains("[2,96]"));
        QVERIFY(message(name + "@last=from:" + file + "x#two").contains(".safetensorsx"));
        QVERIFY(message(name + "@generated=from:" + file + "#two").contains("prompt"));
        QVERIFY(message(name + "#in=zero").contains("input"));
    }

    void noise_followsFromSeedAndPosition_data() { both_families(); }
    void noise_followsFromSeedAndPosition() {
        QFETCH(const bool, moss);
        const std::string name = layer(moss, 0);
        const auto noisy = [&](const char* scope, const char* seed) {
            return captured(moss, {name}, {name + scope + "=noise:0.5" + seed})[0].values;
        };
        const at::Tensor plain = captured(moss, {name})[0].values;
        const at::Tensor everywhere = noisy("", ":7") - plain;
        QVERIFY(at::equal(noisy("", ":7") - plain, everywhere));
        QVERIFY(!at::equal(noisy("", ":8") - plain, everywhere));
        QVERIFY(at::equal(noisy("", "") - plain, noisy("", ":3407") - plain));
        // A scope draws the numbers that its positions have anyway.
        QVERIFY(at::equal((noisy("@last", ":7") - plain).select(1, -1), everywhere.select(1, -1)));
        QVERIFY(everywhere.select(1, -1).abs().max().item<double>() > 0.5);
        QVERIFY(!at::equal(everywhere.select(1, -1), everywhere.select(1, -2)));
    }

    void statistics_areThoseOfTheTensor_data() { both_families(); }
    void statistics_areThoseOfTheTensor() {
        QFETCH(const bool, moss);
        ProbeOptions options;
        options.statistics = true;
        const Capture one = captured(moss, {layer(moss, 1)}, {}, options)[0];
        const at::Tensor wide = one.values.to(at::kDouble);
        const at::Tensor off = wide - wide.mean();
        const double deviation = off.square().mean().item<double>();
        const double fourth = off.pow(4).mean().item<double>();
        const auto near = [](double got, double want) {
            return std::abs(got - want) <= 1e-9 * std::max(1.0, std::abs(want));  // float64 sums
        };
        QVERIFY(near(one.statistics.norm(), wide.norm().item<double>()));
        QVERIFY(near(one.statistics.mean, wide.mean().item<double>()));
        QVERIFY(near(one.statistics.kurtosis(), fourth / (deviation * deviation)));
        QCOMPARE(one.statistics.minimum, wide.min().item<double>());
        QCOMPARE(one.statistics.maximum, wide.max().item<double>());
        QCOMPARE(one.statistics.calls, std::int64_t{1});
        options.keep = false;
        const Capture bare = captured(moss, {layer(moss, 1)}, {}, options)[0];
        QVERIFY(!bare.values.defined());
        QCOMPARE(bare.statistics.norm(), one.statistics.norm());
        QCOMPARE(bare.full_shape, one.full_shape);
    }

    void statistics_countWhatIsNoNumber_andMergeCalls() {
        Statistics figures;
        const double none = std::numeric_limits<double>::quiet_NaN();
        const double infinite = std::numeric_limits<double>::infinity();
        figures.add(at::tensor({1.0, 2.0, none}, at::kDouble));
        figures.add(at::tensor({infinite, -infinite, 9.0, 12.0}, at::kDouble));
        QCOMPARE(figures.nan_count, std::int64_t{1});
        QCOMPARE(figures.infinity_count, std::int64_t{2});
        QCOMPARE(figures.calls, std::int64_t{2});
        QCOMPARE(figures.mean, 6.0);
        QCOMPARE(figures.minimum, 1.0);
        QCOMPARE(figures.maximum, 12.0);
        const double m2 = (25.0 + 16.0 + 9.0 + 36.0) / 4;
        const double m4 = (625.0 + 256.0 + 81.0 + 1296.0) / 4;
        QVERIFY(std::abs(figures.kurtosis() - m4 / (m2 * m2)) < 1e-12);
        QVERIFY(std::abs(figures.norm() - std::sqrt(1.0 + 4 + 81 + 144)) < 1e-12);
    }

    void sizes_areWhatIsKept_data() { both_families(); }
    void sizes_areWhatIsKept() {
        QFETCH(const bool, moss);
        Model& model = session(moss).model();
        std::vector<std::string> probes;
        for (const auto& [name, module] : model.named_modules()) {
            const bool language = in_language_model(name);
            if (module->class_name() == "ModuleList" ||
                (!language && moss && name != "" && !name.starts_with("audio_adapter"))) {
                continue;  // MOSS-Music's encoder runs group by group; estimated only
            }
            probes.push_back(name);
            if (language && !name.ends_with("rotary_emb")) {
                probes.push_back(name + "@audio:1");
                probes.push_back(name + "#in@last");
            }
        }
        const auto sizes = probe_sizes(model, probes, batch(moss));
        const auto captures = captured(moss, probes);
        QCOMPARE(sizes.size(), captures.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (captures[i].name == "model.pos_emb" || captures[i].name.ends_with("rotary_emb") ||
                captures[i].name.ends_with("embed_positions")) {
                continue;  // one row for all windows or requests
            }
            const at::Tensor& kept = captures[i].values;
            QVERIFY2(sizes[i].shape == kept.sizes().vec(), sizes[i].name.c_str());
            QVERIFY2(sizes[i].bytes == static_cast<std::int64_t>(kept.nbytes()),
                     sizes[i].name.c_str());
        }
    }

    void capture_runsNoFurtherThanNeeded_data() { both_families(); }
    void capture_runsNoFurtherThanNeeded() {
        QFETCH(const bool, moss);
        Model& model = session(moss).model();
        const std::vector<std::string> probes{layer(moss, 1) + ".mlp@last"};
        QCOMPARE(layers_needed(model, probes), std::int64_t{2});
        bool beyond = false;
        {
            const HookHandle next =
                model.find(layer(moss, 2))
                    ->register_forward_hook(
                        [&](const Module&, const at::Tensor&, const at::Tensor&) {
                            beyond = true;
                            return at::Tensor();
                        });
            QCOMPARE(captured(moss, probes).size(), std::size_t{1});
        }
        QVERIFY(!beyond);
        const std::vector<std::string> last{"lm_head"};
        QCOMPARE(layers_needed(model, last), model.layer_count() + 1);
        const std::vector<std::string> audio{moss ? "audio_adapter"
                                                  : "model.multi_modal_projector"};
        QCOMPARE(layers_needed(model, audio), std::int64_t{0});
        QCOMPARE(captured(moss, audio).size(), std::size_t{1});
    }

    void capture_ofOneLayer_costsAsMuchAsThePrefillUpToIt_data() { both_families(); }
    void capture_ofOneLayer_costsAsMuchAsThePrefillUpToIt() {
        QFETCH(const bool, moss);
        const PreparedBatch half_minute = session(moss).prepare({one_source(30)});
        const std::vector<std::string> probes{layer(moss, 2) + "@audio:0"};
        using Clock = std::chrono::steady_clock;
        const auto seconds = [](auto&& work) {
            const auto start = Clock::now();
            work();
            return std::chrono::duration<double>(Clock::now() - start).count();
        };
        ForwardOptions up_to;
        up_to.run_layers = 3;
        double plain = 1e9;
        double probed = 1e9;
        std::int64_t kept = 0;
        // The fastest of many, by turns, so that what else the machine does counts little.
        for (int i = 0; i < 40; ++i) {
            plain = std::min(plain, seconds([&] { session(moss).forward(half_minute, up_to); }));
            probed =
                std::min(probed, seconds([&] {
                             const auto captures =
                                 capture(session(moss), half_minute, probes, {}, {}, {}).captures;
                             kept = static_cast<std::int64_t>(captures[0].values.nbytes());
                         }));
        }
        qInfo("prefill up to the layer %.4f s, probed %.4f s, ratio %.3f, kept %lld bytes", plain,
              probed, probed / plain, static_cast<long long>(kept));
        QVERIFY(probed < 1.1 * plain);  // the project's bound
        QCOMPARE(kept, half_minute.slots[0].token_count * session(moss).model().hidden_size() * 4);
    }
};

QTEST_GUILESS_MAIN(TestScopes)
#include "tst_scopes.moc"
