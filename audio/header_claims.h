#pragma once
#include <cstdint>
#include <optional>

namespace earscope {

/// What the header of a WAV (RIFF, RIFX), AIFF or AU file itself says about its length. libsndfile
/// shortens that to what the file holds before anyone can compare the two.
struct HeaderClaims {
    std::optional<std::int64_t> frames;  ///< none: unknown, "to the end", or another format
    std::int64_t bytes_behind = 0;       ///< what follows the header of the samples in the file
};

/// Reads only chunk headers, from the beginning of the open file; its offset is left alone.
HeaderClaims read_header_claims(int descriptor, std::int64_t file_size);

/// Length of an MPEG file by counting its frames (no decoding), in samples per channel; none when
/// it cannot be counted. Needed because without a Xing tag libsndfile guesses the length of a file
/// with variable bit rate and stops there. Moves the file offset.
std::optional<std::int64_t> count_mpeg_samples(int descriptor);

}  // namespace earscope
