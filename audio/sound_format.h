#pragma once
#include <string>

namespace earscope {

/// libsndfile's format number in words: "WAV, 16-bit PCM", "Ogg, Vorbis", "MP3".
std::string format_text(int format);

}  // namespace earscope
