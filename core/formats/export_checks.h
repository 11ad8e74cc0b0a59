#pragma once
// What both writers ask of the tensors they are given.
#include "core/formats/tensor_view.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace earscope {

/// Bytes that are written between two looks at the stop token.
inline constexpr std::size_t kExportBlockBytes = std::size_t{1} << 20;

/// @param reserved  the name the format keeps for itself
/// @throws ExportError  a name that is empty, too long, not UTF-8, reserved or used twice; too many
///                      tensors or dimensions; bytes that do not fit the shape
void check_export_tensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                          std::string_view reserved);

}  // namespace earscope
