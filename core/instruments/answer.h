#pragma once
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace earscope {

/// Ids of answers side by side. @return int64 [B,G] on the CPU, padding behind the end of each
at::Tensor padded_ids(const std::vector<std::vector<std::int64_t>>& ids, std::int64_t pad_id);

/// The batch with the beginning of its answers behind the prompts, for one pass over both: L+count
/// wide, an answer that ended is followed by masked padding. Ids of audio in an answer are ordinary
/// tokens.
///
/// @param count  tokens of the longest answer that are taken
PreparedBatch with_answers(const PreparedBatch& batch,
                           const std::vector<std::vector<std::int64_t>>& ids, std::int64_t count,
                           std::int64_t pad_id);

/// Text of one id decoded alone, special tokens shown.
std::string token_text(const Processor& processor, std::int64_t id);

/// @throws RequestError  a layer that is not in 0..count-1
void check_layers(const std::vector<std::int64_t>& layers, std::int64_t count);

}  // namespace earscope
