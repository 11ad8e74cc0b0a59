#pragma once
#include "audio/waveform.h"

#include <filesystem>

namespace earscope {

/// Writes mono float32 samples as a WAV file (32-bit float), to a temporary name that is then
/// renamed.
/// @throws ExportError  the file cannot be written; nothing half-written stays behind
void write_wav(const std::filesystem::path& file, const Waveform& waveform);

}  // namespace earscope
