#pragma once
#include "core/models/model.h"
#include "core/session.h"
#include "core/snapshot/snapshot.h"

#include <memory>
#include <string>
#include <vector>

namespace earscope {

/// A model of the snapshot's family without weights, and what else the family decides.
struct FamilyParts {
    std::unique_ptr<Model> model;
    std::unique_ptr<Processor> processor;
    std::string (*disk_name)(const std::string& parameter) =
        nullptr;                       ///< of a parameter of `model`
    std::vector<std::string> ignored;  ///< tensors on disk that may be there and are not used
};

/// @throws SnapshotError  configuration or tokenizer that the family cannot have
FamilyParts make_family(const Snapshot& snapshot, const LoadOptions& options);

}  // namespace earscope
