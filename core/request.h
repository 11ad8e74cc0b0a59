#pragma once
#include "audio/waveform.h"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace earscope {

inline constexpr std::size_t kMaxAudiosPerRequest = 5;
/// Stands in a prompt where an audio goes, in both families.
inline constexpr std::string_view kAudioMarker = "<audio>";

using AudioSource = std::variant<std::filesystem::path, Waveform>;

/// One user turn with 0..5 audios in order. Without markers the defaults of the family are put in
/// front.
struct Request {
    std::string prompt;
    std::vector<AudioSource> audios;
};

}  // namespace earscope
