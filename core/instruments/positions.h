#pragma once
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace earscope {

enum class Positions { Audio, Last, All };
/// "audio", "last", "all".
/// @throws RequestError  names the three
Positions parse_positions(std::string_view text);

/// Those positions of a batch, by row and then by position, never padding.
/// @return int64 [n,2]: row, position in the padded row; on the CPU
at::Tensor chosen_positions(const PreparedBatch& batch, Positions positions);

}  // namespace earscope
