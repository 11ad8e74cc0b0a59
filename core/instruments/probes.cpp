#include "core/instruments/probes.h"

#include "core/base/errors.h"
#include "core/instruments/edits.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope {

ProbeSet::ProbeSet(Module& model, std::span<const std::string> modules) {
    for (const std::string& name : modules) {
        const bool known = std::any_of(probes_.begin(), probes_.end(),
                                       [&](const auto& probe) { return probe->module == name; });
        if (known) {
            continue;
        }
        Module& module = find_module(model, name);
        auto probe = std::make_shared<Probe>(Probe{name, {}});
        handles_.push_back(module.register_forward_hook(
            [probe](const Module&, const at::Tensor&, const at::Tensor& output) {
                // Always a copy: the model may reuse the output's memory for what comes next.
                probe->output = output.detach().to(at::kCPU, output.scalar_type(),
                                                   /*non_blocking=*/false, /*copy=*/true);
                return at::Tensor();
            }));
        probes_.push_back(std::move(probe));
    }
}

std::vector<std::pair<std::string, at::Tensor>> ProbeSet::captured() const {
    std::vector<std::pair<std::string, at::Tensor>> outputs;
    for (const auto& probe : probes_) {
        if (!probe->output.defined()) {
            throw RequestError("probe on module '" + probe->module +
                               "': this module has no output in what was run");
        }
        outputs.emplace_back(probe->module, probe->output);
    }
    return outputs;
}

}  // namespace earscope
