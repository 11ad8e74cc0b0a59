#pragma once
#include "audio/waveform.h"
#include "core/base/progress.h"

#include <filesystem>
#include <string>
#include <vector>

namespace earscope {

/// Limits of `design`: refused outside of them, with the limit in the message.
inline constexpr int kMaxChannels = 64;
inline constexpr std::int64_t kMinSampleRate = 1'000;
inline constexpr std::int64_t kMaxSampleRate = 768'000;
inline constexpr std::int64_t kMaxSourceSeconds = 4 * 3600;

/// A decoded sound file: the arithmetic channel mean as float32, and what is worth telling the
/// user.
struct DecodedAudio {
    Waveform waveform;
    int channels = 0;
    std::int64_t header_frames = 0;  ///< what the header claims; -1 when it makes no sense
    std::string format;              ///< e.g. "WAV, 16-bit PCM"
    std::vector<std::string>
        notices;  ///< English sentences: down-mixed, header and content differ, cut at 4 h
};

/// Decodes a sound file by content (not by name) in blocks, as SoundFile float32 would, and
/// averages its channels in float32, in channel order.
///
/// @throws AudioError  missing, unreadable, directory, FIFO, unknown format, no samples, limits
/// above,
///                     or damaged so that libsndfile reports an error. NaN is *not* refused here.
/// @throws Cancelled
DecodedAudio decode_file(const std::filesystem::path& file, std::stop_token stop = {},
                         const ProgressCallback& progress = {});

/// Refuses what no model can hear: an empty waveform, a rate outside the limits, NaN or infinity
/// (message: first index and how many). `name` stands in the message.
/// @throws AudioError
void check_waveform(const Waveform& waveform, const std::string& name);

}  // namespace earscope
