#include "core/formats/npy.h"

#include <cassert>
#include <cstddef>

namespace earscope {

std::string npy_header(const std::string& descr, const std::vector<std::int64_t>& shape) {
    constexpr std::size_t kPrefix = 10;
    constexpr std::size_t kAlignment = 64;
    std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        dictionary += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    }
    dictionary += shape.size() == 1 ? ",), }" : "), }";
    const std::size_t used = kPrefix + dictionary.size() + 1;
    dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    dictionary += '\n';
    // At most eight dimensions are written, so the length always fits version 1.0's two bytes.
    assert(dictionary.size() <= 0xFFFF);
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(dictionary.size() & 0xFFU);
    header += static_cast<char>(dictionary.size() >> 8U);
    return header + dictionary;
}

std::string npy_descr(DType dtype) {
    switch (dtype) {
        case DType::Bool:
            return "|b1";
        case DType::U8:
            return "|u1";
        case DType::I8:
            return "|i1";
        case DType::I16:
            return "<i2";
        case DType::U16:
            return "<u2";
        case DType::F16:
            return "<f2";
        case DType::I32:
            return "<i4";
        case DType::U32:
            return "<u4";
        case DType::BF16:
        case DType::F32:
            return "<f4";
        case DType::I64:
            return "<i8";
        case DType::U64:
            return "<u8";
        case DType::F64:
            return "<f8";
    }
    return {};
}

std::u32string npy_unicode(const std::string& utf8) {
    std::u32string text;
    for (std::size_t at = 0; at < utf8.size();) {
        const auto lead = static_cast<unsigned char>(utf8[at]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        char32_t character = length == 1 ? lead : lead & (0x7FU >> length);
        for (std::size_t i = 1; i < length; ++i) {
            character = character << 6U | (static_cast<unsigned char>(utf8[at + i]) & 0x3FU);
        }
        text += character;
        at += length;
    }
    if (text.empty()) {
        text += U'\0';  // NumPy has no unicode type of width 0 on disk and strips the NUL again
    }
    return text;
}

}  // namespace earscope
