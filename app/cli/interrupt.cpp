#include "app/cli/interrupt.h"

#include "app/cli/exit_status.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

namespace earscope::cli {

namespace {

constexpr int kWakeUp = SIGUSR1;  // ends the watcher when the program is done

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, kWakeUp);
    return set;
}

/// A thread of its own instead of a handler: request_stop() may not be called from a handler.
void watch(std::stop_source source) {
    const sigset_t set = watched_signals();
    int signal = 0;
    while (sigwait(&set, &signal) == 0 && signal != kWakeUp) {
        if (!source.request_stop()) {
            ::_exit(kExitCancelled);
        }
    }
}

}  // namespace

Interrupt::Interrupt() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const sigset_t set = watched_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    watcher_ = std::thread(watch, source_);
}

Interrupt::~Interrupt() {
    pthread_kill(watcher_.native_handle(), kWakeUp);
    watcher_.join();
}

}  // namespace earscope::cli
