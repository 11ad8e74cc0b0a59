#include "core/instruments/saved_tensor.h"

#include "core/base/errors.h"
#include "core/formats/safetensors.h"
#include "core/instruments/names.h"

#include <ATen/ATen.h>

namespace earscope {

namespace {

at::ScalarType scalar_type_of(const TensorView& view, const std::filesystem::path& file) {
    switch (view.dtype) {
        case DType::F64:
            return at::kDouble;
        case DType::F32:
            return at::kFloat;
        case DType::F16:
            return at::kHalf;
        case DType::BF16:
            return at::kBFloat16;
        case DType::I64:
            return at::kLong;
        case DType::I32:
            return at::kInt;
        default:
            throw RequestError(file.string() + ": tensor '" + view.name + "' is of type " +
                               std::string(dtype_name(view.dtype)) +
                               "; a saved activation is of a floating type");
    }
}

}  // namespace

at::Tensor load_saved_tensor(const std::filesystem::path& file, const std::string& name) {
    try {
        const SafetensorsFile opened = SafetensorsFile::open(file);
        const auto found = opened.tensors().find(name);
        if (found == opened.tensors().end()) {
            std::vector<std::string> names;
            for (const auto& [known, view] : opened.tensors()) {
                names.push_back(known);
            }
            throw RequestError(
                file.string() + ": there is no tensor '" + name + "'" +
                (names.empty() ? std::string("; it holds none")
                               : "; nearest: '" + nearest_names(name, names, 1).front() + "'"));
        }
        const TensorView& view = found->second;
        at::Tensor tensor = at::empty(view.shape, scalar_type_of(view, file));
        if (view.bytes > 0) {
            opened.read(view, static_cast<std::byte*>(tensor.mutable_data_ptr()));
        }
        return tensor;
    } catch (const SnapshotError& error) {
        throw RequestError(std::string("saved tensor: ") + error.what());
    }
}

}  // namespace earscope
