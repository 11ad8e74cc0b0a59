#include "audio/header_claims.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mpg123.h>
#include <string_view>
#include <unistd.h>

namespace earscope {
namespace {

/// Reads numbers of a file at given offsets; what lies behind its end reads as "not there".
class Bytes {
public:
    explicit Bytes(int descriptor) : descriptor_(descriptor) {}

    bool load(std::int64_t offset, std::size_t count) {
        return ::pread(descriptor_, bytes_.data(), count, offset) == static_cast<ssize_t>(count);
    }
    std::string_view mark(std::size_t at) const {
        return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + at, 4);
    }
    std::int64_t number(std::size_t at, std::size_t size, bool big_endian) const {
        std::int64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            value = value << 8 | bytes_[big_endian ? at + i : at + size - 1 - i];
        }
        return value;
    }

private:
    int descriptor_;
    std::array<unsigned char, 32> bytes_{};
};

constexpr std::int64_t kUnknownSize = 0xFFFFFFFF;  // what streaming writers leave
constexpr int kMaxChunks = 4096;

bool is_uncompressed_wav(std::int64_t tag) {
    constexpr std::int64_t kPcm = 1;
    constexpr std::int64_t kFloat = 3;
    constexpr std::int64_t kALaw = 6;
    constexpr std::int64_t kMuLaw = 7;
    constexpr std::int64_t kExtensible = 0xFFFE;
    return tag == kPcm || tag == kFloat || tag == kALaw || tag == kMuLaw || tag == kExtensible;
}

// "RIFF" size "WAVE", then chunks: mark, size, content, padded to even. "fmt " holds at 0 the tag
// and at 12 the bytes per frame.
HeaderClaims wav_claims(Bytes& bytes, std::int64_t file_size, bool big_endian) {
    HeaderClaims claims;
    std::int64_t frame_bytes = 0;
    std::int64_t at = 12;
    for (int chunk = 0; chunk < kMaxChunks && bytes.load(at, 8); ++chunk) {
        const std::int64_t size = bytes.number(4, 4, big_endian);
        if (bytes.mark(0) == "data") {
            claims.bytes_behind = file_size - (at + 8);
            if (frame_bytes > 0 && size != kUnknownSize) {
                claims.frames = size / frame_bytes;
            }
            return claims;
        }
        if (bytes.mark(0) == "fmt " && bytes.load(at + 8, 16)) {
            const bool plain = is_uncompressed_wav(bytes.number(0, 2, big_endian));
            frame_bytes = plain ? bytes.number(12, 2, big_endian) : 0;
        }
        at += 8 + size + (size & 1);
    }
    return claims;
}

// "FORM" size "AIFF", then chunks as above, big endian. "COMM" holds at 2 the number of frames.
HeaderClaims aiff_claims(Bytes& bytes) {
    HeaderClaims claims;
    std::int64_t at = 12;
    for (int chunk = 0; chunk < kMaxChunks && bytes.load(at, 14); ++chunk) {
        if (bytes.mark(0) == "COMM") {
            claims.frames = bytes.number(10, 4, true);
            return claims;
        }
        const std::int64_t size = bytes.number(4, 4, true);
        at += 8 + size + (size & 1);
    }
    return claims;
}

// ".snd", offset of the samples, their bytes, encoding, rate, channels; all of 4 bytes.
HeaderClaims au_claims(Bytes& bytes, std::int64_t file_size, bool big_endian) {
    // Bytes per sample of encodings 0 to 7; 27 is A-law.
    constexpr std::array<std::int64_t, 8> kWidths{0, 1, 1, 2, 3, 4, 4, 8};
    HeaderClaims claims;
    if (!bytes.load(0, 24)) {
        return claims;
    }
    const std::int64_t size = bytes.number(8, 4, big_endian);
    const std::int64_t encoding = bytes.number(12, 4, big_endian);
    const std::int64_t channels = bytes.number(20, 4, big_endian);
    const std::int64_t width = encoding == 27 ? 1
                               : encoding < 8 ? kWidths[static_cast<std::size_t>(encoding)]
                                              : 0;
    claims.bytes_behind = file_size - bytes.number(4, 4, big_endian);
    if (size != kUnknownSize && width > 0 && channels > 0) {
        claims.frames = size / (width * channels);
    }
    return claims;
}

}  // namespace

HeaderClaims read_header_claims(int descriptor, std::int64_t file_size) {
    Bytes bytes(descriptor);
    if (!bytes.load(0, 12)) {
        return {};
    }
    const bool riff = bytes.mark(0) == "RIFF";
    if ((riff || bytes.mark(0) == "RIFX") && bytes.mark(8) == "WAVE") {
        return wav_claims(bytes, file_size, !riff);
    }
    if (bytes.mark(0) == "FORM" && bytes.mark(8) == "AIFF") {
        return aiff_claims(bytes);
    }
    const bool snd = bytes.mark(0) == ".snd";
    if (snd || bytes.mark(0) == "dns.") {
        return au_claims(bytes, file_size, snd);
    }
    return {};
}

std::optional<std::int64_t> count_mpeg_samples(int descriptor) {
    mpg123_init();  // needed before 1.27, nothing to do since
    const std::unique_ptr<mpg123_handle, decltype(&mpg123_delete)> handle(
        mpg123_new(nullptr, nullptr), &mpg123_delete);
    if (!handle || ::lseek(descriptor, 0, SEEK_SET) != 0) {
        return std::nullopt;
    }
    mpg123_param(handle.get(), MPG123_ADD_FLAGS, MPG123_QUIET, 0);
    if (mpg123_open_fd(handle.get(), descriptor) != MPG123_OK ||
        mpg123_scan(handle.get()) != MPG123_OK) {
        return std::nullopt;
    }
    const std::int64_t samples = mpg123_length(handle.get());
    return samples > 0 ? std::optional(samples) : std::nullopt;
}

}  // namespace earscope
