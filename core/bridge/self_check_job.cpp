#include "core/bridge/self_check_job.h"

#include "core/bridge/value_conversion.h"
#include "core/selfcheck/selfcheck.h"
#include "resources/demo_paths.h"

namespace earscope {

SelfCheckValue runSelfCheck(const SelfCheckJob& job, const std::stop_token& stop,
                            const ProgressCallback& progress) {
    LoadJob choices;
    choices.device = job.device;
    choices.dtype = job.dtype;
    LoadOptions load = toLoadOptions(choices);
    load.stop = stop;
    load.progress = progress;

    SelfCheckValue value;
    value.id = job.id;
    value.dtype = job.dtype;
    value.passed = true;
    for (const char* model : kSelfCheckModels) {
        const SelfCheckResult result = self_check(demo_folder(), model, load);
        value.device = QString::fromStdString(result.device);
        value.passed = value.passed && result.passed();
        for (const SelfCheckStage& stage : result.stages) {
            value.rows.push_back(
                {QString::fromStdString(result.family), QString::fromStdString(stage.name),
                 QString::fromStdString(stage.measure), stage.error, stage.bound, stage.passed()});
        }
    }
    return value;
}

}  // namespace earscope
