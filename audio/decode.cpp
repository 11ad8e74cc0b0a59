#include "audio/decode.h"

#include "audio/file_text.h"
#include "audio/header_claims.h"
#include "audio/sound_format.h"
#include "core/base/errors.h"
#include "core/base/regular_file.h"

#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace earscope {
namespace {

constexpr std::int64_t kBlockSamples = 1 << 16;  // of all channels together
constexpr std::int64_t kMpegFrame = 1152;

struct CloseSound {
    void operator()(SNDFILE* sound) const { sf_close(sound); }
};
using Sound = std::unique_ptr<SNDFILE, CloseSound>;

RegularFile open_regular(const std::filesystem::path& file) {
    try {
        return RegularFile(file);
    } catch (const std::system_error& error) {
        const bool odd = error.code() == std::error_code(ENOTSUP, std::generic_category());
        throw AudioError("cannot read " + file_text(file) + ": " +
                         (odd ? "it is a pipe, a socket or a device; a regular file is needed"
                              : error.code().message()));
    }
}

/// True for a name that promises MPEG audio whose content does not start with a tag or a frame.
bool may_hide_mpeg(const std::filesystem::path& file, int descriptor) {
    std::string extension = file.extension().native();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::array<char, 3> start{};
    const bool tagged = ::pread(descriptor, start.data(), start.size(), 0) == 3 &&
                        std::string_view(start.data(), 3) == "ID3";
    return !tagged && (extension == ".mp3" || extension == ".mp2" || extension == ".mpga");
}

std::string library_text(int fault) {
    std::string text = sf_error_number(fault);
    while (!text.empty() && (text.back() == '.' || text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    return text;
}

std::string open_fault(int fault) {
    constexpr int kIncomplete = 24;  // libsndfile's number for a header with unusable values
    constexpr int kMpegNotFound = 7;
    if (fault == SF_ERR_UNRECOGNISED_FORMAT || fault == kMpegNotFound) {
        return "it is not a sound file that can be read (WAV, AIFF, AU, CAF, W64, RF64, FLAC, Ogg "
               "Vorbis, Opus or MP3)";
    }
    if (fault == kIncomplete) {
        return "its header is damaged: it gives no usable sample rate or channel count";
    }
    return "its header is damaged or of an unknown kind (" + library_text(fault) + ")";
}

/// Opens by content. Only MPEG data behind foreign bytes is found by its name, as libsndfile does;
/// other names must not turn any file into raw samples.
Sound open_sound(const std::filesystem::path& file, int descriptor, SF_INFO& info) {
    // A descriptor of its own: libsndfile 1.2.0 closes it when opening fails, even when told not
    // to.
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        throw AudioError("cannot read " + file_text(file) + ": " +
                         std::generic_category().message(errno));
    }
    Sound sound(sf_open_fd(copy, SFM_READ, &info, SF_TRUE));
    if (!sound && sf_error(nullptr) == SF_ERR_UNRECOGNISED_FORMAT &&
        may_hide_mpeg(file, descriptor)) {
        info = {};
        sound.reset(sf_open(file.c_str(), SFM_READ, &info));
    }
    if (!sound) {
        throw AudioError("cannot decode " + file_text(file) + ": " + open_fault(sf_error(nullptr)));
    }
    return sound;
}

void check_limits(const std::filesystem::path& file, const SF_INFO& info) {
    if (info.channels < 1 || info.channels > kMaxChannels) {
        throw AudioError("cannot use " + file_text(file) + ": it has " + grouped(info.channels) +
                         " channels, at most " + grouped(kMaxChannels) + " are allowed");
    }
    if (info.samplerate < kMinSampleRate || info.samplerate > kMaxSampleRate) {
        throw AudioError("cannot use " + file_text(file) + ": its sample rate is " +
                         grouped(info.samplerate) + " Hz, " + grouped(kMinSampleRate) + " to " +
                         grouped(kMaxSampleRate) + " Hz are allowed");
    }
}

/// Appends the channel means: added in channel order in float32, then divided.
void append_means(std::vector<float>& mono, const float* frames, std::int64_t count, int channels) {
    const auto divisor = static_cast<float>(channels);
    const auto done = mono.size();
    mono.resize(done + static_cast<std::size_t>(count));
    for (auto mean = mono.begin() + static_cast<std::ptrdiff_t>(done); mean != mono.end(); ++mean) {
        float sum = frames[0];
        for (int channel = 1; channel < channels; ++channel) {
            sum += frames[channel];
        }
        *mean = sum / divisor;
        frames += channels;
    }
}

/// Reads to the end or to `limit` frames. Its AudioError does not name the file.
std::vector<float> read_mono(SNDFILE* sound, const SF_INFO& info, std::int64_t reserve,
                             std::int64_t limit, const std::stop_token& stop,
                             const ProgressCallback& progress) {
    const int channels = info.channels;
    const std::int64_t total = info.frames > limit ? 0 : info.frames;
    std::vector<float> block(static_cast<std::size_t>(kBlockSamples / channels * channels));
    std::vector<float> mono;
    mono.reserve(static_cast<std::size_t>(reserve));
    while (static_cast<std::int64_t>(mono.size()) < limit) {
        throw_if_stopped(stop);
        const auto done = static_cast<std::int64_t>(mono.size());
        const std::int64_t wanted = std::min(kBlockSamples / channels, limit - done);
        const std::int64_t count = sf_readf_float(sound, block.data(), wanted);
        // Asked after each read: the next one clears it.
        if (const int fault = sf_error(sound); fault != SF_ERR_NO_ERROR) {
            throw AudioError("it is damaged after " +
                             grouped(done + std::max(count, std::int64_t{0})) + " frames (" +
                             library_text(fault) + ")");
        }
        if (count <= 0) {
            break;
        }
        if (channels == 1) {
            mono.insert(mono.end(), block.begin(), block.begin() + count);
        } else {
            append_means(mono, block.data(), count, channels);
        }
        report(progress, Stage::Decode, done + count, std::max(total, std::int64_t{0}));
    }
    return mono;
}

std::string seconds_text(std::int64_t frames, std::int64_t rate) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f s",
                  static_cast<double>(frames) / static_cast<double>(rate));
    return text.data();
}

[[noreturn]] void fail_without_samples(const std::filesystem::path& file,
                                       const HeaderClaims& claims) {
    std::string message = "cannot use " + file_text(file) + ": it holds no samples";
    if (claims.frames == 0 && claims.bytes_behind > 0) {
        message += " by its header, although " + grouped(claims.bytes_behind) + " bytes follow";
    }
    throw AudioError(message);
}

void add_length_notices(DecodedAudio& audio, bool mpeg, int descriptor) {
    const auto read = static_cast<std::int64_t>(audio.waveform.samples.size());
    const std::int64_t rate = audio.waveform.sample_rate;
    if (audio.header_frames < 0) {
        audio.notices.push_back("the file does not say its length and may have been cut off: " +
                                grouped(read) + " frames could be read");
    } else if (audio.header_frames > read + (mpeg ? 2 * kMpegFrame : 0)) {
        // An MPEG length without a tag is an estimate, so a frame more or less means nothing.
        audio.notices.push_back("the header says " + grouped(audio.header_frames) + " frames, " +
                                grouped(read) + " could be read");
    }
    const auto counted = mpeg ? count_mpeg_samples(descriptor) : std::nullopt;
    if (counted && *counted - read > read / 10) {
        audio.notices.push_back(
            "the MP3 has no length tag: decoding stopped at the length estimated from its size and "
            "first bit rate, " +
            grouped(read) + " frames (" + seconds_text(read, rate) +
            "), but counting its MPEG frames gives about " + grouped(*counted) + " (" +
            seconds_text(*counted, rate) + "); the rest is not used");
    }
}

std::int64_t plausible_header_frames(const SF_INFO& info, const HeaderClaims& claims) {
    constexpr std::int64_t kNonsense = std::int64_t{1} << 48;
    if (claims.frames) {
        return std::max(*claims.frames, static_cast<std::int64_t>(info.frames));
    }
    return info.frames < 0 || info.frames > kNonsense ? -1 : info.frames;
}

}  // namespace

DecodedAudio decode_file(const std::filesystem::path& file, std::stop_token stop,
                         const ProgressCallback& progress) {
    throw_if_stopped(stop);
    const RegularFile opened = open_regular(file);
    if (opened.size() == 0) {
        throw AudioError("cannot decode " + file_text(file) + ": it is empty (0 bytes)");
    }
    const HeaderClaims claims = read_header_claims(opened.descriptor(), opened.size());
    SF_INFO info{};
    const Sound sound = open_sound(file, opened.descriptor(), info);
    check_limits(file, info);

    DecodedAudio audio;
    audio.channels = info.channels;
    audio.format = format_text(info.format);
    audio.header_frames = plausible_header_frames(info, claims);
    audio.waveform.sample_rate = info.samplerate;
    const std::int64_t limit = kMaxSourceSeconds * info.samplerate;
    // The header is believed only as far as the size of the file makes it likely.
    const std::int64_t reserve =
        std::clamp<std::int64_t>(info.frames, 0, std::min(limit, 16 * opened.size()));
    try {
        audio.waveform.samples = read_mono(sound.get(), info, reserve, limit, stop, progress);
    } catch (const std::bad_alloc&) {
        throw AudioError("cannot decode " + file_text(file) +
                         ": there is not enough memory for it");
    } catch (const AudioError& error) {
        throw AudioError("cannot decode " + file_text(file) + ": " + error.what());
    }
    if (audio.waveform.samples.empty()) {
        fail_without_samples(file, claims);
    }
    if (audio.channels > 1) {
        audio.notices.push_back(grouped(audio.channels) + " channels were averaged to one");
    }
    if (static_cast<std::int64_t>(audio.waveform.samples.size()) == limit &&
        audio.header_frames != limit) {
        audio.notices.push_back("the file is longer than 4 h and was cut there");
    } else {
        const bool mpeg = (info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_MPEG;
        add_length_notices(audio, mpeg, opened.descriptor());
    }
    return audio;
}

void check_waveform(const Waveform& waveform, const std::string& name) {
    if (waveform.samples.empty()) {
        throw AudioError(name + " holds no samples");
    }
    if (waveform.sample_rate < kMinSampleRate || waveform.sample_rate > kMaxSampleRate) {
        throw AudioError("the sample rate of " + name + " is " + grouped(waveform.sample_rate) +
                         " Hz, " + grouped(kMinSampleRate) + " to " + grouped(kMaxSampleRate) +
                         " Hz are allowed");
    }
    const auto is_bad = [](float sample) { return !std::isfinite(sample); };
    const auto& samples = waveform.samples;
    const auto first = std::find_if(samples.begin(), samples.end(), is_bad);
    if (first != samples.end()) {
        throw AudioError(name + " holds samples that are not finite numbers: " +
                         grouped(std::count_if(first, samples.end(), is_bad)) +
                         " of them, the first at index " + grouped(first - samples.begin()));
    }
}

}  // namespace earscope
