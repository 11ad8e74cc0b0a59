#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace earscope {

/// The folder with the built-in demonstration models and clips: `music-flamingo/` and `moss-music/`
/// are snapshots, `clips/` holds sound files.
///
/// Looked for in this order: the environment variable EARSCOPE_DEMO (taken as it is),
/// `../share/earscope/demo` beside the folder of the running program (an installed or moved program
/// finds its own files), the source tree it was built from. The result need not exist; whoever
/// opens it reports that. Thread: any, as long as no other thread changes the environment.
inline std::filesystem::path demo_folder() {
    if (const char* chosen = std::getenv("EARSCOPE_DEMO"); chosen != nullptr && *chosen != '\0') {
        return chosen;
    }
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        auto installed = (program.parent_path() / EARSCOPE_DEMO_FROM_BIN).lexically_normal();
        if (std::filesystem::is_directory(installed, error)) {
            return installed;
        }
    }
    return EARSCOPE_DEMO_SOURCE;
}

/// The snapshot that a word stands for: "demo" is the demonstration model of Music Flamingo,
/// "demo-moss" that of MOSS-Music. It need not be there; none for any other word.
inline std::optional<std::filesystem::path> demo_snapshot(std::string_view word) {
    if (word == "demo") {
        return demo_folder() / "music-flamingo";
    }
    if (word == "demo-moss") {
        return demo_folder() / "moss-music";
    }
    return std::nullopt;
}

}  // namespace earscope
