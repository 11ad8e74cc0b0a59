#pragma once
#include "core/snapshot/snapshot.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace earscope {

/// Which files hold the weights of a snapshot.
struct WeightFiles {
    std::vector<std::string> shards;              ///< sorted
    std::map<std::string, std::string> shard_of;  ///< tensor -> shard; empty without an index
    std::vector<std::string> missing;             ///< files that are needed and not there
};

/// Reads the index, where there is one, and looks for the files it names.
/// @throws SnapshotError  a damaged index, or a shard that is not a plain file of the snapshot
WeightFiles find_weight_files(const std::filesystem::path& folder);

/// Opens all shards and holds them against the index.
/// @throws SnapshotError  damaged shard; tensors absent, unlisted, or in two shards
void open_weights(Snapshot& snapshot, const WeightFiles& files);

}  // namespace earscope
