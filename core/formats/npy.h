#pragma once
// The .npy members of an .npz.
#include "core/formats/tensor_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace earscope {

/// Header of the .npy format, version 1.0: "\x93NUMPY", 1, 0, length (2 bytes, little endian), a
/// Python dictionary padded with spaces and ended by a newline so that the data start at a multiple
/// of 64.
/// @param descr  "<f4", "<U12", ...
std::string npy_header(const std::string& descr, const std::vector<std::int64_t>& shape);

/// Type of the array NumPy gets; bfloat16, which NumPy does not have, is stored as float32.
std::string npy_descr(DType dtype);

/// A text as the bytes of a NumPy unicode scalar (UTF-32, little endian, at least one character).
/// @param utf8  well-formed
std::u32string npy_unicode(const std::string& utf8);

}  // namespace earscope
