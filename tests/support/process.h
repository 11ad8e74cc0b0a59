#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace earscope::test {

/// Runs `work` in a forked child, as user 65534 where this is root (root ignores permission bits),
/// and gives back what it returned. "" when the child failed.
inline std::string inChild(const std::function<std::string()>& work, bool drop_root = false) {
    int ends[2];
    if (::pipe(ends) != 0) {
        return {};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        const bool dropped =
            !drop_root || ::geteuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
        const std::string text = dropped ? work() : "could not drop root";
        const bool written =
            ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : std::string();
}

/// Largest resident memory of this process so far, in bytes.
inline long long peakMemory() {
    long long kilobytes = 0;
    if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
        char line[256];
        while (std::fgets(line, sizeof line, file) != nullptr) {
            if (std::sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) {
                break;
            }
        }
        std::fclose(file);
    }
    return kilobytes * 1024;
}

/// Starts peakMemory() anew from what is resident now.
inline bool resetPeakMemory() {
    std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
    if (file == nullptr) {
        return false;
    }
    const bool written = std::fputs("5", file) >= 0;
    return std::fclose(file) == 0 && written;
}

}  // namespace earscope::test
