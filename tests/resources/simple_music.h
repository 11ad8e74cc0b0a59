#pragma once
#include "core/request.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace earscope::test {

/// A question about sounds and the answer that is right to the letter.
struct Asked {
    Request request;
    std::string answer;
};

/// The timbres that the demonstration models know.
inline constexpr std::string_view kTimbres[] = {"flute", "clarinet", "trumpet",
                                                "organ", "guitar",   "bell"};

/// One sound of a clip.
struct Event {
    double start = 0;  ///< s
    std::string_view timbre;
    int pitch = 69;  ///< MIDI number
    double seconds = 1;
    double level = -20;  ///< root mean square, dB of full scale
};

/// 16 kHz mono. The tones are those of `resources/demo/train/synth.py` without its random parts.
Waveform render(double seconds, const std::vector<Event>& events);

/// "C sharp" for 61.
std::string note_name(int pitch);

/// Balanced questions of one task: "pitch", "timbre", "silence", "source pitch", "source timbre",
/// "order", "higher", "louder", "direction", "count", "tempo", "when", "second window".
std::vector<Asked> questions(std::string_view task);

/// The share of always giving the answer that is right most often.
double best_constant(const std::vector<Asked>& asked);

}  // namespace earscope::test
