#pragma once
#include "core/request.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earscope::cli {

/// A request.json: the requests, and what else of it a command may use. Keys that are not named
/// here are passed over.
struct RequestFile {
    std::vector<Request> requests;
    std::optional<std::string> profile;
    std::optional<std::int64_t> max_new_tokens;
    std::optional<std::string> dtype;
};

/// Reads {"requests":[{"prompt":"...","audios":[{"file":"song.flac"},
/// {"waveform":"wave.0","sample_rate":44100}]}],"profile":...,"max_new_tokens":...,"dtype":...}.
/// Files are relative to the request file's folder; `waveform` names a one-dimensional tensor (F32
/// or F64) in `inputs.safetensors` beside it. Whether a sound file exists is not looked at here.
/// @throws RequestError, SnapshotError  (unreadable or broken files) name the file and the fault
RequestFile read_request_file(const std::filesystem::path& file);

}  // namespace earscope::cli
