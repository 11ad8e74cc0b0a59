#pragma once
// The tiny Music Flamingo snapshot with random weights and real structure, and its clips.
#include "core/session.h"

#include <filesystem>
#include <memory>

namespace earscope::testing {

inline std::filesystem::path tiny_folder() {
    return std::filesystem::path(EARSCOPE_FIXTURES) / "mf-tiny";
}

inline std::shared_ptr<Session> load_tiny(Attention attention = Attention::Sdpa,
                                          at::ScalarType dtype = at::kFloat) {
    LoadOptions options;
    options.device = "cpu";
    options.dtype = dtype;
    options.attention = attention;
    return load_model(tiny_folder() / "snapshot", options);
}

inline std::filesystem::path clip(const std::string& name) {
    return tiny_folder() / "audio" / name;
}

}  // namespace earscope::testing
