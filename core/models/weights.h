#pragma once
#include "core/models/model.h"
#include "core/session.h"
#include "core/snapshot/snapshot.h"

#include <functional>
#include <string>

namespace earscope {

/// Holds the snapshot's tensors against the model's parameters and fills them. Where type and
/// device are those of the file, a parameter is a view of the mapped file, nothing is copied.
///
/// @param disk_name  of a parameter
/// @param ignored    tensors on disk that may be there and are not used
/// @throws SnapshotError  missing, unexpected, wrong shape; Cancelled
void load_weights(Module& model, const Snapshot& snapshot,
                  const std::function<std::string(const std::string&)>& disk_name,
                  const std::vector<std::string>& ignored, c10::Device device,
                  const LoadOptions& options);

}  // namespace earscope
