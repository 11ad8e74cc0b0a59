#pragma once
#include "core/base/progress.h"

#include <chrono>
#include <string>

namespace earscope::cli {

/// One line on stderr that shows the running stage, only on a terminal and only once the work has
/// taken a second.
class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// For the `progress` of core's options; valid as long as this object.
    ProgressCallback callback();
    void show(const Progress& progress);
    /// Wipes the line, before anything else is written to the terminal.
    void clear();
    /// Text goes to the terminal now (streaming); the bar would stand in it.
    void silence();

private:
    using Clock = std::chrono::steady_clock;
    bool enabled_ = false;
    bool visible_ = false;
    Clock::time_point begun_;
    Clock::time_point last_;
};

/// "encode        [#########...........] 45 %"; without a total the count alone.
std::string progress_line(const Progress& progress, int width);

}  // namespace earscope::cli
