#include "app/cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace earscope::cli {

namespace {

constexpr std::chrono::milliseconds kBeforeFirst{1000};
constexpr std::chrono::milliseconds kBetween{100};

const char* stage_name(Stage stage) {
    switch (stage) {
        case Stage::LoadWeights:
            return "load weights";
        case Stage::Decode:
            return "decode";
        case Stage::Resample:
            return "resample";
        case Stage::Mel:
            return "mel";
        case Stage::Encode:
            return "encode";
        case Stage::Prefill:
            return "prefill";
        case Stage::Generate:
            return "generate";
        case Stage::Export:
            return "write";
    }
    return "";
}

}  // namespace

std::string progress_line(const Progress& progress, int width) {
    std::string line = stage_name(progress.stage);
    line.resize(14, ' ');
    if (progress.total <= 0) {
        return line + std::to_string(progress.done);
    }
    const double share = std::clamp(
        static_cast<double>(progress.done) / static_cast<double>(progress.total), 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(share * width);
    std::string bar(static_cast<std::size_t>(width), '.');
    std::fill_n(bar.begin(), filled, '#');
    return line + "[" + bar + "] " + std::to_string(static_cast<int>(share * 100)) + " %";
}

ProgressBar::ProgressBar() : enabled_(::isatty(STDERR_FILENO) == 1), begun_(Clock::now()) {}

ProgressCallback ProgressBar::callback() {
    return [this](const Progress& progress) { show(progress); };
}

void ProgressBar::show(const Progress& progress) {
    const auto now = Clock::now();
    if (!enabled_ || now - begun_ < kBeforeFirst || (visible_ && now - last_ < kBetween)) {
        return;
    }
    std::fprintf(stderr, "\r%s\x1b[K", progress_line(progress, 30).c_str());
    std::fflush(stderr);
    visible_ = true;
    last_ = now;
}

void ProgressBar::clear() {
    if (visible_) {
        std::fputs("\r\x1b[K", stderr);
        std::fflush(stderr);
        visible_ = false;
    }
}

void ProgressBar::silence() {
    clear();
    enabled_ = false;
}

}  // namespace earscope::cli
