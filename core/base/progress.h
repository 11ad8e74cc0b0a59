#pragma once
#include "core/base/errors.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace earscope {

/// What long work is doing; the unit of `Progress::done` and `total` stands behind each name.
enum class Stage {
    LoadWeights,  ///< bytes
    Decode,       ///< frames of the file (total 0: unknown)
    Resample,     ///< output samples
    Mel,          ///< windows or sources
    Encode,       ///< windows or chunks
    Prefill,      ///< decoder layers
    Generate,     ///< tokens
    Export,       ///< bytes
};

struct Progress {
    Stage stage = Stage::LoadWeights;
    std::int64_t done = 0;
    std::int64_t total = 0;
};

/// Called on the computing thread, as often as it suits the work; receivers thin it out.
using ProgressCallback = std::function<void(const Progress&)>;

/// @throws Cancelled when `stop` was requested.
inline void throw_if_stopped(const std::stop_token& stop) {
    if (stop.stop_requested()) {
        throw Cancelled();
    }
}

inline void report(const ProgressCallback& callback, Stage stage, std::int64_t done,
                   std::int64_t total) {
    if (callback) {
        callback({stage, done, total});
    }
}

}  // namespace earscope
