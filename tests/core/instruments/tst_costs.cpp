// What instruments say of their cost before they run.
#include "core/instruments/result_tensors.h"
#include "core/instruments/saliency_cost.h"
#include "tests/core/instruments/support.h"

#include <ATen/Parallel.h>

#include <array>
#include <chrono>

using namespace earscope;
using namespace earscope::testing;

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

bool within(double value, double wanted, double factor) {
    const bool good = value > wanted / factor && value < wanted * factor;
    if (!good) {
        qWarning("%g is not within a factor of %g of %g", value, factor, wanted);
    }
    return good;
}

}  // namespace

class TestCosts : public QObject {
    Q_OBJECT

    std::array<std::shared_ptr<Session>, 2> sessions_;

    Session& session(bool moss) { return *sessions_[moss ? 1 : 0]; }

private Q_SLOTS:
    void initTestCase() {
        at::set_num_threads(1);
        sessions_ = {load_family(false), load_family(true)};
    }

    void pass_thatWasCutOff_isCarriedOn_data() { both_families(); }
    void pass_thatWasCutOff_isCarriedOn() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source(9)});
        const PassCost whole = measure_pass(session(moss), batch, 1e6, kPlenty);
        QVERIFY(whole.backward_ran);
        QCOMPARE(whole.measured, 1.0);
        QVERIFY(whole.seconds > whole.forward_seconds && whole.forward_seconds > 0);
        const auto bytes = static_cast<double>(whole.bytes);
        qInfo("%.1f MB, forward %.1f ms, both %.1f ms", bytes / 1e6, 1e3 * whole.forward_seconds,
              1e3 * whole.seconds);
        // From some layer of the decoder to the first chance there is, in the encoder.
        int cuts = 0;
        for (const double part : {0.7, 0.5, 0.3, 0.0}) {
            const PassCost cut =
                measure_pass(session(moss), batch, 1e6, static_cast<std::int64_t>(part * bytes));
            if (cut.backward_ran) {
                continue;  // the way back held more than the way there ever did
            }
            ++cuts;
            QVERIFY(cut.measured < 1);
            qInfo("cut off at %.0f %%: %.1f MB, %.0f %% measured", 100 * part,
                  static_cast<double>(cut.bytes) / 1e6, 100 * cut.measured);
            QVERIFY(within(static_cast<double>(cut.bytes), bytes, cut.measured > 0.5 ? 1.6 : 3));
        }
        QVERIFY(cuts >= 2);
    }

    void pass_growsWithTheSound_andLeavesTheModelAsItWas() {
        const PreparedBatch brief = session(true).prepare({one_source(4)});
        const PreparedBatch longer = session(true).prepare({one_source(16)});
        const at::Tensor before = session(true).forward(brief).logits;
        const PassCost one = measure_pass(session(true), brief, 1e6, kPlenty);
        const PassCost four = measure_pass(session(true), longer, 1e6, kPlenty);
        QVERIFY(four.bytes > one.bytes * 3 / 2);
        const at::Tensor after = session(true).forward(brief).logits;
        QVERIFY(at::equal(before, after));
        QVERIFY(!after.requires_grad());
    }

    void pass_thatIsCancelledOrRefused_throws() {
        const PreparedBatch pair = session(false).prepare(padded_pair());
        QVERIFY(refused([&] { measure_pass(session(false), pair); }).contains("one request"));
        const PreparedBatch text = session(false).prepare({{"Only text.", {}}});
        QVERIFY(refused([&] { measure_pass(session(false), text); }).contains("audio"));
        const PreparedBatch one = session(false).prepare({one_source()});
        std::stop_source stop;
        stop.request_stop();
        CallOptions call;
        call.stop = stop.get_token();
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, static_cast<void>(measure_pass(session(false), one, 2, kPlenty, call)));
    }

    void cost_countsPasses() {
        const PassCost pass{1, 3, 1000, 1, true};
        const SaliencyCost plain = saliency_cost(pass, parse_saliency_method("gradient"));
        QCOMPARE(plain.passes, 1);
        QCOMPARE(plain.seconds, 3.0);
        const SaliencyCost steps = saliency_cost(pass, parse_saliency_method("integrated:32"));
        QCOMPARE(steps.passes, 34);
        QCOMPARE(steps.seconds, 32 * 3 + 2 * 1.0);
        QCOMPARE(steps.bytes, 1000);
    }

    void cost_isNearWhatItTakes_data() { both_families(); }
    void cost_isNearWhatItTakes() {
        QFETCH(const bool, moss);
        const PreparedBatch batch = session(moss).prepare({one_source(8)});
        const SaliencyMethod method = parse_saliency_method("integrated:8");
        measure_pass(session(moss), batch);  // the first pass makes room
        const SaliencyCost cost = saliency_cost(measure_pass(session(moss), batch), method);
        const auto begin = std::chrono::steady_clock::now();
        saliency(session(moss), batch, {0, method, short_answer(1)});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        qInfo("told %.3f s, took %.3f s", cost.seconds, took.count());
        QVERIFY(within(cost.seconds, took.count(), 6));  // a machine that others use, too
    }

    void tensors_ofTheRows_areNamedAsTheCommandLineNamesThem() {
        const PreparedBatch batch = session(true).prepare({two_sources()});
        AttentionOptions options{{0, 3}, {1}, short_answer(2)};
        options.rows = PositionSpan{2, 9};
        const auto names = [&](const AttentionOptions& asked) {
            QStringList list;
            const auto result = attention_maps(session(true), batch, asked);
            for (const NamedTensor& entry : attention_tensors(result, batch.slots, {0, -1})) {
                list << QString::fromStdString(entry.name);
            }
            return list.join(QLatin1Char(' '));
        };
        QCOMPARE(names(options),
                 QStringLiteral("generated_ids attention.0 attention_audio.0.0 attention_audio.0.1 "
                                "attention_rows.0 attention.-1 attention_audio.-1.0 "
                                "attention_audio.-1.1 attention_rows.-1"));
        options.answer = false;
        QCOMPARE(names(options), QStringLiteral("attention_rows.0 attention_rows.-1"));
    }
};

QTEST_GUILESS_MAIN(TestCosts)
#include "tst_costs.moc"
