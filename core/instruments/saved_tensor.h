#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace earscope {

/// A tensor of a safetensors file, such as one that --out wrote, copied to the CPU in its own
/// dtype.
/// @throws RequestError  no such file or tensor (with the nearest names), not a safetensors file,
/// an element type that is no number
at::Tensor load_saved_tensor(const std::filesystem::path& file, const std::string& name);

}  // namespace earscope
