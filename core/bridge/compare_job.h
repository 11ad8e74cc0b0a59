#pragma once
#include "core/bridge/run_values.h"
#include "core/session.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace earscope {

/// What a comparison needs of the worker.
struct CompareTools {
    std::shared_ptr<Session>& session;  ///< the worker's; afterwards as before, or empty
    std::string& weights;               ///< digest of the session's, kept up with it
    std::stop_token stop;
    std::stop_token closing;  ///< the program ends: the model of before need not come back
    ProgressCallback progress;
    std::function<void()> lost;  ///< told when the model of before could not be opened again
};

/// Runs both columns of a comparison, one after the other, with one model in memory at a time.
/// @throws what loading, preparing and generating throw; the model of before is back by then
ComparedValue runCompare(const CompareJob& job, const CompareTools& tools);

}  // namespace earscope
