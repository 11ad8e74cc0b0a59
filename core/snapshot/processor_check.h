#pragma once
#include "core/snapshot/snapshot.h"

namespace earscope {

/// The front end computes what Music Flamingo's processor is set to and nothing else. A processor
/// configuration of another model would mean other features for the same weights.
/// @throws SnapshotError  names the key and both values
void check_music_flamingo_processor(const Snapshot& snapshot);

}  // namespace earscope
