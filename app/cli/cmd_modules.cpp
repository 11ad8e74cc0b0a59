#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "core/snapshot/snapshot.h"

#include <map>

namespace earscope::cli {

namespace {

/// The dtype most of the weights are stored in: loading without conversion is the quickest way to
/// the modules.
at::ScalarType stored_dtype(const Snapshot& snapshot) {
    std::map<DType, std::size_t> bytes;
    for (const auto& [name, tensor] : snapshot.tensors) {
        bytes[tensor.dtype] += tensor.bytes;
    }
    at::ScalarType dtype = at::kFloat;
    std::size_t most = 0;
    for (const auto& [stored, size] : bytes) {
        if (size > most) {
            most = size;
            dtype = stored == DType::BF16  ? at::kBFloat16
                    : stored == DType::F16 ? at::kHalf
                                           : at::kFloat;
        }
    }
    return dtype;
}

}  // namespace

CommandResult run_modules(Context& context) {
    const auto folder = snapshot_folder(context.options.snapshot);
    LoadOptions load;
    load.device = "cpu";
    load.dtype = stored_dtype(open_snapshot(folder));
    load.stop = context.stop;
    load.progress = context.progress.callback();
    const auto session = load_model(folder, load);
    CommandResult result;
    for (const auto& [name, module] : session->model().named_modules()) {
        result.output += name + "\t" + module->class_name() + "\n";
    }
    return result;
}

}  // namespace earscope::cli
