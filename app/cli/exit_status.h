#pragma once

namespace earscope::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitWrongUse = 2;
inline constexpr int kExitRefused = 3;  ///< snapshot, request or audio
inline constexpr int kExitFailed = 4;   ///< memory, disk, device
inline constexpr int kExitCancelled = 130;

}  // namespace earscope::cli
