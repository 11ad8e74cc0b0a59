#pragma once
#include "core/base/progress.h"
#include "core/snapshot/snapshot.h"

#include <string>
#include <utility>

namespace earscope {

/// What `RunRecord::weights_digest` holds: LAYOUT/FILES or LAYOUT/FILES/CONTENTS.
///
/// LAYOUT is of the names, types and shapes of all tensors, FILES of the files themselves (device,
/// inode, size and time of change), so that the same files, also through links of a cache, are
/// known as such without reading them. CONTENTS stands there only when two snapshots of one layout
/// and different files were compared: of all tensors ("all-HASH"), or of those up to and including
/// the first that differed, in the order of their names ("5-HASH"). compare_runs() says what two
/// such digests tell.
///
/// To be taken when the snapshot is opened, before somebody can replace its files.
/// @throws SnapshotError  a file that is no longer there
std::string weights_digest(const Snapshot& snapshot);

/// The digests of two snapshots. What the tensors hold is read only where layouts agree and files
/// do not, and no further than to the first tensor that differs.
/// @param progress  Stage::LoadWeights, bytes of both
/// @throws SnapshotError  a file became shorter or cannot be read
/// @throws Cancelled
std::pair<std::string, std::string> weights_digests(const Snapshot& a, const Snapshot& b,
                                                    const std::stop_token& stop = {},
                                                    const ProgressCallback& progress = {});

}  // namespace earscope
