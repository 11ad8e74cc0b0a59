#include "app/gui/quit_signals.h"

#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace earscope {
namespace {

constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP};

/// A signal handler may do little more than write; the other end wakes the event loop.
std::array<int, 2> signal_pipe{-1, -1};

void onSignal(int /*number*/) {
    const char byte = 1;
    // A full pipe means that the request is there already.
    [[maybe_unused]] const auto written = write(signal_pipe[1], &byte, 1);
}

}  // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {
    if (pipe2(signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        return;
    }
    notifier_ = new QSocketNotifier(signal_pipe[0], QSocketNotifier::Read, this);
    connect(notifier_, &QSocketNotifier::activated, this, [this] {
        std::array<char, 16> bytes{};
        while (read(signal_pipe[0], bytes.data(), bytes.size()) > 0) {
        }
        Q_EMIT quitRequested();
    });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : kSignals) {
        sigaction(number, &action, nullptr);
    }
}

QuitSignals::~QuitSignals() {
    if (notifier_ == nullptr) {
        return;
    }
    for (const int number : kSignals) {
        std::signal(number, SIG_DFL);
    }
    delete notifier_;
    for (int& end : signal_pipe) {
        close(end);
        end = -1;
    }
}

}  // namespace earscope
