#pragma once
#include "core/base/progress.h"
#include "core/formats/tensor_view.h"

#include <filesystem>
#include <span>
#include <string>

namespace earscope {

/// Writes an uncompressed .npz (stored entries, zip64 where needed) that
/// numpy.load(allow_pickle=False) reads: one little-endian C-order .npy per tensor, and `meta.json`
/// as a 0-d unicode array named "meta". bfloat16 is widened to float32. Same atomic way of writing
/// and errors as write_safetensors.
void write_npz(const std::filesystem::path& file, std::span<const TensorView> tensors,
               const std::string& meta_json, std::stop_token stop = {},
               const ProgressCallback& progress = {});

}  // namespace earscope
