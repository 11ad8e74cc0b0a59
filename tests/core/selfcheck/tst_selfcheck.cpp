// The self-check passes on what ships, and fails where a value is not the reference's.
#include "core/base/errors.h"
#include "core/formats/safetensors.h"
#include "core/selfcheck/selfcheck.h"
#include "resources/demo_paths.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace earscope;

namespace {

LoadOptions on_cpu(at::ScalarType dtype) {
    LoadOptions options;
    options.device = "cpu";
    options.dtype = dtype;
    return options;
}

/// Writes the golden values anew, with one float of one tensor changed.
void change_value(const std::filesystem::path& golden, const std::string& tensor, float by) {
    const SafetensorsFile file = SafetensorsFile::open(golden);
    std::vector<TensorView> views;
    std::vector<std::byte> changed;
    for (const auto& [name, view] : file.tensors()) {
        views.push_back(view);
        if (name == tensor) {
            changed.assign(view.data, view.data + view.bytes);
            float value = 0;
            std::memcpy(&value, changed.data(), sizeof value);
            value += by;
            std::memcpy(changed.data(), &value, sizeof value);
            views.back().data = changed.data();
        }
    }
    write_safetensors(golden, views, file.metadata());
}

}  // namespace

class TestSelfCheck : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void selfCheck_demo_passes_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("dtype");
        for (const char* model : {"music-flamingo", "moss-music"}) {
            for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
                QTest::addRow("%s %s", model, c10::toString(dtype))
                    << QString::fromLatin1(model) << static_cast<int>(dtype);
            }
        }
    }
    void selfCheck_demo_passes() {
        QFETCH(QString, model);
        QFETCH(int, dtype);
        const SelfCheckResult result = self_check(demo_folder(), model.toStdString(),
                                                  on_cpu(static_cast<at::ScalarType>(dtype)));
        for (const SelfCheckStage& stage : result.stages) {
            qInfo("%s: %.3g of %.3g (%s)", stage.name.c_str(), stage.error, stage.bound,
                  stage.measure.c_str());
            QVERIFY2(stage.passed(), stage.name.c_str());
        }
        QVERIFY(result.passed());
        QVERIFY(result.stages.size() >= 8);
    }

    void selfCheck_otherValue_failsAtThatStageAlone() {
        const std::filesystem::path demo = copyOfDemo();
        change_value(demo / "music-flamingo/selfcheck.safetensors", "projected.0", 0.5F);
        const SelfCheckResult result = self_check(demo, "music-flamingo", on_cpu(at::kFloat));
        QVERIFY(!result.passed());
        for (const SelfCheckStage& stage : result.stages) {
            QCOMPARE(stage.passed(), stage.name != "projected");
        }
    }

    void selfCheck_noGoldenValues_isRefusedByName() {
        const std::filesystem::path demo = copyOfDemo();
        std::filesystem::remove(demo / "music-flamingo/selfcheck.safetensors");
        try {
            self_check(demo, "music-flamingo", on_cpu(at::kFloat));
            QFAIL("not refused");
        } catch (const SnapshotError& error) {
            QVERIFY2(std::strstr(error.what(), "selfcheck.safetensors") != nullptr, error.what());
        }
    }

    void selfCheck_stopped_isCancelled() {
        std::stop_source stop;
        stop.request_stop();
        LoadOptions options = on_cpu(at::kFloat);
        options.stop = stop.get_token();
        QVERIFY_EXCEPTION_THROWN(self_check(demo_folder(), "music-flamingo", options), Cancelled);
    }

private:
    /// A folder of its own for each call, removed at the end.
    std::filesystem::path copyOfDemo() {
        folders_.push_back(std::make_unique<QTemporaryDir>());
        const std::filesystem::path demo = folders_.back()->path().toStdString();
        for (const char* part : {"music-flamingo", "clips"}) {
            std::filesystem::copy(demo_folder() / part, demo / part,
                                  std::filesystem::copy_options::recursive);
        }
        return demo;
    }

    std::vector<std::unique_ptr<QTemporaryDir>> folders_;
};

QTEST_GUILESS_MAIN(TestSelfCheck)
#include "tst_selfcheck.moc"
