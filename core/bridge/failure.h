#pragma once
#include "core/bridge/values.h"

#include <exception>

namespace earscope {

/// What the window is told about an exception that ended a job: its kind and one line of text.
/// Knows our own family, lack of memory, and libtorch's errors (without their stack traces).
Failure describeFailure(const std::exception_ptr& error);

/// Runs `work` and ends the job by `ended(Failure)`, `stopped()`, or neither when it succeeded.
/// The edge of a worker thread: nothing is thrown past it.
template <typename Work, typename Ended, typename Stopped>
void runGuarded(const std::stop_token& stop, Work&& work, Ended&& ended, Stopped&& stopped) {
    try {
        throw_if_stopped(stop);
        work();
    } catch (const Cancelled&) {
        stopped();
    } catch (...) {
        ended(describeFailure(std::current_exception()));
    }
}

}  // namespace earscope
