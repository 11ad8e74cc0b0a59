#include "audio/wav_file.h"

#include "audio/decode.h"
#include "audio/file_text.h"
#include "core/base/atomic_file.h"
#include "core/base/errors.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace earscope {
namespace {

// RIFF size "WAVE", "fmt " 16 bytes (tag 3: float), "fact" 4 bytes (frames), "data" and the
// samples.
constexpr std::size_t kHeaderBytes = 12 + (8 + 16) + (8 + 4) + 8;

class Header {
public:
    void mark(std::string_view text) {
        for (const char c : text) {
            bytes_[at_++] = c;
        }
    }
    void u16(std::uint32_t value) {
        bytes_[at_++] = static_cast<char>(value & 0xFF);
        bytes_[at_++] = static_cast<char>((value >> 8) & 0xFF);
    }
    void u32(std::uint32_t value) {
        u16(value);
        u16(value >> 16);
    }
    const char* data() const { return bytes_.data(); }

private:
    std::array<char, kHeaderBytes> bytes_{};
    std::size_t at_ = 0;
};

}  // namespace

void write_wav(const std::filesystem::path& file, const Waveform& waveform) {
    static_assert(std::endian::native == std::endian::little, "samples are written as they lie");
    const std::size_t bytes = waveform.samples.size() * sizeof(float);
    if (bytes > std::numeric_limits<std::uint32_t>::max() - kHeaderBytes) {
        throw ExportError("cannot write " + file_text(file) +
                          ": a WAV file holds less than 4 GiB, " +
                          grouped(static_cast<std::int64_t>(bytes)) + " bytes are needed");
    }
    if (waveform.sample_rate < 1 || waveform.sample_rate > kMaxSampleRate) {
        throw ExportError("cannot write " + file_text(file) + ": a sample rate of " +
                          grouped(waveform.sample_rate) + " Hz is outside 1 to " +
                          grouped(kMaxSampleRate) + " Hz");
    }
    const auto size = static_cast<std::uint32_t>(bytes);
    const auto rate = static_cast<std::uint32_t>(waveform.sample_rate);
    Header header;
    header.mark("RIFF");
    header.u32(static_cast<std::uint32_t>(kHeaderBytes - 8) + size);
    header.mark("WAVEfmt ");
    header.u32(16);
    header.u16(3);  // IEEE float
    header.u16(1);  // channels
    header.u32(rate);
    header.u32(rate * sizeof(float));
    header.u16(sizeof(float));
    header.u16(8 * sizeof(float));
    header.mark("fact");
    header.u32(4);
    header.u32(size / sizeof(float));
    header.mark("data");
    header.u32(size);

    AtomicFile out(file);
    out.write(header.data(), kHeaderBytes);
    out.write(waveform.samples.data(), bytes);
    out.commit();
}

}  // namespace earscope
