#include "audio/sound_format.h"

#include <sndfile.h>

#include <array>
#include <string_view>

namespace earscope {
namespace {

struct Name {
    int number;
    std::string_view text;
};

constexpr std::array kContainers{
    Name{SF_FORMAT_WAV, "WAV"},   Name{SF_FORMAT_WAVEX, "WAV"}, Name{SF_FORMAT_RF64, "RF64"},
    Name{SF_FORMAT_W64, "W64"},   Name{SF_FORMAT_AIFF, "AIFF"}, Name{SF_FORMAT_AU, "AU"},
    Name{SF_FORMAT_CAF, "CAF"},   Name{SF_FORMAT_FLAC, "FLAC"}, Name{SF_FORMAT_OGG, "Ogg"},
    Name{SF_FORMAT_MPEG, "MPEG"},
};

constexpr std::array kEncodings{
    Name{SF_FORMAT_PCM_S8, "8-bit PCM"},
    Name{SF_FORMAT_PCM_U8, "8-bit PCM"},
    Name{SF_FORMAT_PCM_16, "16-bit PCM"},
    Name{SF_FORMAT_PCM_24, "24-bit PCM"},
    Name{SF_FORMAT_PCM_32, "32-bit PCM"},
    Name{SF_FORMAT_FLOAT, "32-bit float"},
    Name{SF_FORMAT_DOUBLE, "64-bit float"},
    Name{SF_FORMAT_ULAW, "mu-law"},
    Name{SF_FORMAT_ALAW, "A-law"},
    Name{SF_FORMAT_IMA_ADPCM, "IMA ADPCM"},
    Name{SF_FORMAT_MS_ADPCM, "Microsoft ADPCM"},
    Name{SF_FORMAT_GSM610, "GSM 6.10"},
    Name{SF_FORMAT_VORBIS, "Vorbis"},
    Name{SF_FORMAT_OPUS, "Opus"},
};

std::string library_name(int command, int format) {
    SF_FORMAT_INFO info{};
    info.format = format;
    const bool known =
        sf_command(nullptr, command, &info, sizeof info) == 0 && info.name != nullptr;
    return known ? info.name : "unnamed format";
}

template <std::size_t Size>
std::string name_of(const std::array<Name, Size>& names, int number) {
    for (const Name& name : names) {
        if (name.number == number) {
            return std::string(name.text);
        }
    }
    return library_name(SFC_GET_FORMAT_INFO, number);
}

}  // namespace

std::string format_text(int format) {
    const int container = format & SF_FORMAT_TYPEMASK;
    const int encoding = format & SF_FORMAT_SUBMASK;
    if (container == SF_FORMAT_MPEG) {
        const int layer = encoding - SF_FORMAT_MPEG_LAYER_I + 1;
        return layer >= 1 && layer <= 3 ? "MP" + std::to_string(layer) : "MPEG audio";
    }
    return name_of(kContainers, container) + ", " + name_of(kEncodings, encoding);
}

}  // namespace earscope
