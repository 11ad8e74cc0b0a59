#pragma once
#include <QAudioFormat>

#include <vector>

namespace earscope {

/// Writes one mono sample, already within -1..1, to every channel of a device frame.
void writeFrame(char* frame, const QAudioFormat& format, float sample);

/// Appends the channel mean of each device frame. `bytes` holds whole frames only.
void appendFrames(std::vector<float>& mono, const char* bytes, qsizetype frames,
                  const QAudioFormat& format);

}  // namespace earscope
