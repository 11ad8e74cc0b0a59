#pragma once
#include "core/bridge/values.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earscope {

/// Milliseconds between two looks of the window's side into its mailbox: 20 events a second.
inline constexpr int kMailIntervalMs = 50;

/// Where the computing thread leaves its progress and streamed text, and the window's thread picks
/// them up at its own pace: however fast the one writes, the other is never flooded, and what was
/// written last is never lost. Both sides hold the lock for a copy only.
class Mailbox {
public:
    /// Replaces progress that nobody has fetched yet.
    void putProgress(JobId id, const Progress& progress);
    /// Appends to the text of this job; `tokens` and `tokensPerSecond` are those of the newest
    /// piece.
    void putText(JobId id, const std::string& text, int tokens, double tokensPerSecond);

    /// @return the newest progress since the last call, with its job
    std::optional<std::pair<JobId, Progress>> takeProgress();
    /// @return text since the last call, one entry per job, in the order written
    std::vector<StreamValue> takeText();

private:
    std::mutex mutex_;
    std::optional<std::pair<JobId, Progress>> progress_;
    std::vector<std::pair<StreamValue, std::string>> texts_;
};

}  // namespace earscope
