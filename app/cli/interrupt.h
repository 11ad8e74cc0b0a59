#pragma once
#include <stop_token>
#include <thread>

namespace earscope::cli {

/// Turns Ctrl+C (SIGINT) and SIGTERM into a stop request that the core reads between its steps. A
/// second one ends the program at once. Also makes the program survive SIGPIPE and SIGXFSZ, so that
/// a closed pipe or a file size limit becomes an error with a message.
///
/// Must be made before any other thread starts, because signal masks are inherited.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return source_.get_token(); }
    void request_stop() { source_.request_stop(); }

private:
    std::stop_source source_;
    std::thread watcher_;
};

}  // namespace earscope::cli
