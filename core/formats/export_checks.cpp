#include "core/formats/export_checks.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/safetensors_header.h"

#include <set>
#include <string>

namespace earscope {
namespace {

std::string tensor_fault(const TensorView& tensor, std::string_view reserved) {
    if (const std::string fault = tensor_name_fault(tensor.name); !fault.empty()) {
        return "its name " + fault;
    }
    if (tensor.name == reserved) {
        return "the name is reserved";
    }
    if (tensor.shape.size() > kMaxTensorRank) {
        return std::to_string(tensor.shape.size()) + " dimensions, at most " +
               std::to_string(kMaxTensorRank) + " can be written";
    }
    const auto needed = tensor_bytes(tensor.dtype, tensor.shape);
    if (!needed || *needed != tensor.bytes || (tensor.data == nullptr && tensor.bytes > 0)) {
        return std::to_string(tensor.bytes) + " bytes do not fit " +
               std::string(dtype_name(tensor.dtype)) + " " + shape_text(tensor.shape);
    }
    return {};
}

}  // namespace

void check_export_tensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                          std::string_view reserved) {
    const std::string what = "cannot write " + one_line(file.string(), 500) + ": ";
    if (tensors.size() > kMaxTensorCount) {
        throw ExportError(what + "more than " + std::to_string(kMaxTensorCount) + " tensors");
    }
    std::set<std::string_view> names;
    for (const TensorView& tensor : tensors) {
        std::string fault = tensor_fault(tensor, reserved);
        if (fault.empty() && !names.insert(tensor.name).second) {
            fault = "the name is used twice";
        }
        if (!fault.empty()) {
            throw ExportError(what + "tensor \"" + one_line(tensor.name) + "\": " + fault);
        }
    }
}

}  // namespace earscope
