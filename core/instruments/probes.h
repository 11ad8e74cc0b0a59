#pragma once
#include "core/nn/module.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace earscope {

/// Stores what modules give (of several outputs, the first tensor) while this exists. Made after an
/// EditSet it sees the edits. A module that runs several times keeps its last output.
/// Thread: the one that uses the model.
class ProbeSet {
public:
    ProbeSet() = default;
    /// A name given twice is stored once.
    /// @throws RequestError  a module that does not exist, with the nearest names
    ProbeSet(Module& model, std::span<const std::string> modules);

    /// Name and output of each module in the order asked: copies on the CPU in the model's dtype,
    /// detached from any graph.
    /// @throws RequestError  a module that has not run since this was made
    std::vector<std::pair<std::string, at::Tensor>> captured() const;

private:
    struct Probe {
        std::string module;
        at::Tensor output;
    };
    std::vector<std::shared_ptr<Probe>> probes_;  // shared with the hooks
    std::vector<HookHandle> handles_;
};

}  // namespace earscope
