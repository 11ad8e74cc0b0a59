#include "core/models/sampler.h"
#include "tests/support/tensor_compare.h"

#include <ATen/ATen.h>
#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace earscope;
using namespace earscope::testing;

namespace {

const std::filesystem::path kCase =
    std::filesystem::path(EARSCOPE_FIXTURES) / "mf-tiny/cases/sampled_single";

SamplingParameters sampled() {
    return sampling_parameters(Profile::GenericSampled, Family::MusicFlamingo);
}

}  // namespace

class TestSampler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The stored logits of every step give the stored scores and, drawn with seed 3407, the stored
    // ids.
    void storedLogits_giveTheStoredScoresAndIds() {
        const auto file = SafetensorsFile::open(kCase / "expected.safetensors");
        std::ifstream stream(kCase / "expected.json");
        const auto ids =
            nlohmann::json::parse(stream)["generated_ids"][0].get<std::vector<std::int64_t>>();
        const at::Tensor logits = tensor_of(file, "gen_logits");  // [B,steps,V]
        const at::Tensor scores = tensor_of(file, "gen_scores");
        Sampler sampler(sampled(), 3407, at::kCPU);
        for (std::int64_t step = 0; step < logits.size(1); ++step) {
            const at::Tensor row = logits.select(1, step);
            const at::Tensor got = sampler.scores(row);
            const at::Tensor want = scores.select(1, step);
            QVERIFY(at::equal(at::isinf(got), at::isinf(want)));
            QVERIFY(close("scores", got.nan_to_num(0, 0, 0), want.nan_to_num(0, 0, 0), 0));
            QCOMPARE(sampler.next(row).item<std::int64_t>(), ids[static_cast<std::size_t>(step)]);
        }
    }

    // Torch draws Exp(1) per element and takes the largest p/q; after seed 3407 the first three are
    // these.
    void firstDraws_areTorchs() {
        at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
        generator.set_current_seed(3407);
        const at::Tensor draws = at::empty({3}, at::kFloat).exponential_(1, generator);
        QVERIFY(close("draws", draws, at::tensor({0.07467033F, 0.743677F, 1.0450308F}), 1e-6));
    }

    void profiles_areTheContracts() {
        const SamplingParameters paper =
            sampling_parameters(Profile::PaperReference, Family::MossMusic);
        QCOMPARE(paper.sample, false);
        QCOMPARE(paper.max_new_tokens, 16'384);
        QCOMPARE(sampled().temperature, 0.7);
        QCOMPARE(sampled().top_p, 0.9);
        QCOMPARE(sampled().top_k, 50);
        const SamplingParameters moss =
            sampling_parameters(Profile::GenericSampled, Family::MossMusic);
        QCOMPARE(moss.temperature, 1.0);
        QCOMPARE(moss.top_p, 0.8);
        QVERIFY_EXCEPTION_THROWN(parse_profile("best"), RequestError);
    }

    void greedy_takesTheLargest() {
        Sampler sampler(SamplingParameters{}, 3407, at::kCPU);
        const at::Tensor logits = at::tensor({0.0F, 3.0F, 1.0F, 7.0F, 2.0F, 1.0F}).view({2, 3});
        QVERIFY(at::equal(sampler.next(logits), at::tensor({1L, 0L}, at::kLong)));
    }

    void topK_keepsTiesAndTopPKeepsTheLargest() {
        SamplingParameters parameters;
        parameters.sample = true;
        parameters.top_k = 2;
        const at::Tensor tied = at::tensor({1.0F, 1.0F, 1.0F, 0.0F}).view({1, 4});
        QCOMPARE(
            at::isinf(Sampler(parameters, 1, at::kCPU).scores(tied)).sum().item<std::int64_t>(), 1);
        parameters.top_k = 0;
        parameters.top_p = 1e-9;
        const at::Tensor sharp = at::tensor({1.0F, 9.0F, 2.0F}).view({1, 3});
        QCOMPARE(
            at::isinf(Sampler(parameters, 1, at::kCPU).scores(sharp)).sum().item<std::int64_t>(),
            2);
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
