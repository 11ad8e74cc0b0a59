#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/models/dtype_text.h"
#include "core/selfcheck/selfcheck.h"
#include "resources/demo_paths.h"

#include <cmath>

namespace earscope::cli {

namespace {

/// JSON knows no infinity: null stands for a stage whose shape or values cannot be compared.
nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json describe(const SelfCheckResult& result) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const SelfCheckStage& stage : result.stages) {
        stages.push_back({{"stage", stage.name},
                          {"measure", stage.measure},
                          {"error", number(stage.error)},
                          {"bound", number(stage.bound)},
                          {"passed", stage.passed()}});
    }
    return {{"model", result.model},
            {"family", result.family},
            {"passed", result.passed()},
            {"stages", std::move(stages)}};
}

}  // namespace

CommandResult run_selfcheck(Context& context) {
    const Options& options = context.options;
    LoadOptions load;
    load.device = options.device;
    load.dtype = options.dtype.value_or(at::kFloat);
    load.attention = options.attention;
    load.stop = context.stop;
    load.progress = context.progress.callback();

    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    std::string failed;
    std::string device;
    for (const char* model : kSelfCheckModels) {
        const SelfCheckResult result = self_check(demo_folder(), model, load);
        device = result.device;
        for (const SelfCheckStage& stage : result.stages) {
            if (!stage.passed()) {
                failed += (failed.empty() ? "" : ", ") + result.family + " " + stage.name;
            }
        }
        models.push_back(describe(result));
    }
    const nlohmann::ordered_json out{{"passed", failed.empty()},
                                     {"device", device},
                                     {"dtype", dtype_text(load.dtype)},
                                     {"models", std::move(models)}};
    if (!failed.empty()) {
        // The table is what one needs to find the fault, so it is printed all the same.
        context.progress.clear();
        context.write_now(json_text(out));
        throw Error(
            "self-check failed: this build on this machine does not compute what the "
            "reference does (" +
            failed + ")");
    }
    return {json_text(out),
            "self-check passed on " + device + ", " + std::string(dtype_text(load.dtype))};
}

}  // namespace earscope::cli
