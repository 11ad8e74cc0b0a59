#pragma once
#include "core/base/progress.h"
#include "core/bridge/self_check_values.h"

#include <stop_token>

namespace earscope {

/// Runs both demonstration models, one after the other.
/// @throws what core's self_check throws
SelfCheckValue runSelfCheck(const SelfCheckJob& job, const std::stop_token& stop,
                            const ProgressCallback& progress);

}  // namespace earscope
