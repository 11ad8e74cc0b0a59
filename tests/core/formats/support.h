#pragma once
// Helpers for tests that make their own hostile files.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace earscope::test {

inline void write_file(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Names in a folder, hidden ones included.
inline std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

inline std::string little_endian(std::uint64_t value) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) {
        bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
    return bytes;
}

/// A safetensors file of this header and as many bytes of data, 0, 1, 2, ...
inline std::string safetensors_bytes(const std::string& header, std::size_t data_bytes) {
    std::string bytes = little_endian(header.size()) + header;
    for (std::size_t i = 0; i < data_bytes; ++i) {
        bytes += static_cast<char>(i & 0xFFU);
    }
    return bytes;
}

/// The message of the expected kind of exception; "no error" or "other: ..." else.
template <class Expected>
std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Expected& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("other: ") + error.what();
    }
    return "no error";
}

/// Peak resident size of this process in KiB.
inline long peak_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::strtol(line.c_str() + 6, nullptr, 10);
        }
    }
    return -1;
}

struct ChildResult {
    bool finished = false;  ///< returned by itself: no signal, no sanitizer report
    std::string text;       ///< what the function returned
};

/// Runs a function in a process of its own, for limits that must not stay and for crashes.
inline ChildResult in_child(const std::function<std::string()>& function, unsigned seconds = 60) {
    int ends[2];
    if (::pipe(ends) != 0) {
        return {};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        // Qt Test would print a stack trace of a crash that is wanted.
        for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
            ::signal(signal, SIG_DFL);
        }
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::alarm(seconds);
        std::string text;
        try {
            text = function();
        } catch (const std::exception& error) {
            text = std::string("uncaught: ") + error.what();
        }
        const ssize_t written = ::write(ends[1], text.data(), text.size());
        ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    ChildResult result;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
        result.text.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    result.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return result;
}

}  // namespace earscope::test
