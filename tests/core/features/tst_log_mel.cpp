#include "core/base/errors.h"
#include "core/features/log_mel.h"
#include "tests/support/tensor_compare.h"

#include <QTest>

#include <filesystem>

using namespace earscope;
using namespace earscope::testing;

namespace {

const std::filesystem::path kOwn = std::filesystem::path(EARSCOPE_FIXTURES) / "frontend/mel";
const std::filesystem::path kShared =
    std::filesystem::path(EARSCOPE_SHARED_FIXTURES) / "frontend/mel";

std::span<const float> samples_of(const at::Tensor& tensor) {
    return {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// All cases `PREFIX.k` of a file, in the file's order.
template <typename Check>
int for_cases(const SafetensorsFile& file, const std::string& prefix, Check&& check) {
    int count = 0;
    for (const auto& [name, view] : file.tensors()) {
        if (name.starts_with(prefix)) {
            check(name, tensor_of(file, "in." + name.substr(prefix.size())), tensor_of(file, name));
            ++count;
        }
    }
    return count;
}

}  // namespace

class TestLogMel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filters_equalTheReference() {
        const auto file = SafetensorsFile::open(kOwn / "filters.safetensors");
        QVERIFY(close("filters", mel_filters(), tensor_of(file, "mel_filters"), 1e-15));
    }

    // The front-end README's bounds: 2e-4 for the torch path, 1e-6 for the NumPy path.
    void window_equalsTheTorchPath() {
        double worst = 0;
        for (const auto& folder : folders()) {
            const auto file = SafetensorsFile::open(folder / "cases.safetensors");
            const int count = for_cases(
                file, "torch_padded.", [&](const auto& name, const auto& in, const auto& want) {
                    const at::Tensor got = log_mel_window(samples_of(in));
                    QCOMPARE(got.sizes(), at::IntArrayRef({128, 3000}));
                    const at::Tensor kept = got.narrow(1, 0, want.size(1));
                    worst = std::max(worst, largest_difference(kept, want));
                    QVERIFY(close(name, kept, want, 2e-4));
                    const at::Tensor tail = got.narrow(1, want.size(1), 3000 - want.size(1));
                    if (tail.numel() > 0) {  // the padding: one constant
                        const double constant = std::max(-1.5, got.max().item<double>() - 2.0);
                        QVERIFY(close(name + " tail", tail, at::full_like(tail, constant), 1e-6));
                    }
                });
            QVERIFY(count >= 7);
        }
        qInfo("largest difference from the torch path: %.3g", worst);
    }

    void source_equalsTheNumpyPath() {
        double worst = 0;
        for (const auto& folder : folders()) {
            const auto file = SafetensorsFile::open(folder / "cases.safetensors");
            const int count =
                for_cases(file, "numpy.", [&](const auto& name, const auto& in, const auto& want) {
                    const at::Tensor got = log_mel_source(samples_of(in));
                    worst = std::max(worst, largest_difference(got, want));
                    QVERIFY(close(name, got, want, 1e-6));
                });
            QVERIFY(count >= 15);
        }
        qInfo("largest difference from the NumPy path: %.3g", worst);
    }

    void source_roundedToBfloat16_differsByOneStepAtMost() {
        const auto file = SafetensorsFile::open(kOwn / "cases.safetensors");
        for_cases(file, "numpy_bf16.", [&](const auto& name, const auto& in, const auto& want) {
            const at::Tensor got = log_mel_source(samples_of(in)).to(at::kBFloat16).to(at::kFloat);
            const at::Tensor off = (got - want.to(at::kFloat)).abs();
            const double share = (off > 0).to(at::kFloat).mean().template item<double>();
            QVERIFY2(share <= 1e-3, name.c_str());
            QVERIFY2(off.max().template item<double>() <= 0.0079, name.c_str());
        });
    }

    void source_tooShort_isRefusedInWords() {
        const std::vector<float> samples(159, 0.1F);
        QVERIFY_EXCEPTION_THROWN(log_mel_source(samples), AudioError);
    }

    void silence_isTheFloorEverywhere() {
        const std::vector<float> samples(16000, 0.0F);
        QVERIFY(close("silence", log_mel_window(samples), at::full({128, 3000}, -1.5F), 0));
    }

    void windows_areIndependent() {
        std::vector<float> samples(480'000 + 4'000, 0.0F);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = 0.3F * std::sin(0.05F * static_cast<float>(i % 977));
        }
        const at::Tensor both = log_mel_windows(samples);
        QCOMPARE(both.size(0), 2);
        const std::vector<float> tail(samples.begin() + 480'000, samples.end());
        QVERIFY(close("second window", both.select(0, 1), log_mel_window(tail), 0));
        QCOMPARE(valid_frames(4'000), 25);
        QCOMPARE(valid_frames(1), 1);
    }

private:
    /// The project's own cases, and the whole set (with the long ones) where it is there.
    static std::vector<std::filesystem::path> folders() {
        if (std::filesystem::exists(kShared / "cases.safetensors")) {
            return {kOwn, kShared};
        }
        qInfo("the whole front-end fixture set is not here; the project's own part was run");
        return {kOwn};
    }
};

QTEST_GUILESS_MAIN(TestLogMel)
#include "tst_log_mel.moc"
