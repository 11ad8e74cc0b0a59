#include "core/export/tensor_export.h"

#include "core/base/atomic_file.h"
#include "core/formats/npz.h"
#include "core/formats/safetensors.h"

#include <ATen/ATen.h>

#include <set>

namespace earscope {
namespace {

enum class FileFormat { Safetensors, Npz };

FileFormat format_of(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".safetensors") {
        return FileFormat::Safetensors;
    }
    if (ending == ".npz") {
        return FileFormat::Npz;
    }
    throw ExportError("cannot write " + file.string() +
                      ": the name must end in .safetensors or .npz");
}

DType dtype_of(const NamedTensor& named) {
    switch (named.tensor.scalar_type()) {
        case at::kBool:
            return DType::Bool;
        case at::kByte:
            return DType::U8;
        case at::kChar:
            return DType::I8;
        case at::kShort:
            return DType::I16;
        case at::kUInt16:
            return DType::U16;
        case at::kHalf:
            return DType::F16;
        case at::kBFloat16:
            return DType::BF16;
        case at::kInt:
            return DType::I32;
        case at::kUInt32:
            return DType::U32;
        case at::kFloat:
            return DType::F32;
        case at::kLong:
            return DType::I64;
        case at::kUInt64:
            return DType::U64;
        case at::kDouble:
            return DType::F64;
        default:
            throw ExportError("tensor " + named.name + ": element type " +
                              c10::toString(named.tensor.scalar_type()) +
                              " cannot be stored; booleans, integers and real floats can");
    }
}

void check_names(std::span<const NamedTensor> tensors) {
    std::set<std::string_view> seen;
    for (const NamedTensor& named : tensors) {
        if (named.name.empty() || !named.tensor.defined()) {
            throw ExportError("tensor '" + named.name + "': a name and a value are needed");
        }
        if (!seen.insert(named.name).second) {
            throw ExportError("two tensors are named " + named.name +
                              "; each name can be stored once");
        }
    }
}

/// Row-major, on the CPU, without the lazy sign and conjugate bits; shares memory where it can.
at::Tensor plain_copy(const at::Tensor& tensor) {
    return tensor.detach().to(at::kCPU).resolve_conj().resolve_neg().contiguous();
}

void append(std::vector<NamedTensor>& all, std::string name, const at::Tensor& tensor) {
    if (tensor.defined()) {
        all.push_back({std::move(name), tensor});
    }
}

}  // namespace

std::vector<NamedTensor> prepared_tensors(const PreparedBatch& batch) {
    std::vector<NamedTensor> all;
    append(all, "input_ids", batch.inputs.input_ids);
    append(all, "attention_mask", batch.inputs.attention_mask);
    append(all, "mel", batch.inputs.mel);
    append(all, "feature_mask", batch.inputs.feature_mask);
    append(all, "feature_lengths", batch.inputs.feature_lengths);
    for (std::size_t a = 0; a < batch.resampled.size(); ++a) {
        append(all, "resampled." + std::to_string(a), batch.resampled[a]);
    }
    for (std::size_t a = 0; a < batch.slots.size(); ++a) {
        append(all, "token_positions." + std::to_string(a), batch.slots[a].token_positions);
        append(all, "time_s." + std::to_string(a), batch.slots[a].time_s);
    }
    return all;
}

std::vector<NamedTensor> embedding_tensors(const std::vector<AudioEmbedding>& embeddings) {
    std::vector<NamedTensor> all;
    for (std::size_t a = 0; a < embeddings.size(); ++a) {
        const AudioEmbedding& one = embeddings[a];
        const std::string source = "." + std::to_string(a);
        append(all, "raw" + source, one.raw);
        append(all, "projected" + source, one.projected);
        for (std::size_t k = 0; k < one.deepstack_raw.size(); ++k) {
            append(all, "deepstack_raw." + std::to_string(k) + source, one.deepstack_raw[k]);
        }
        for (std::size_t k = 0; k < one.deepstack_projected.size(); ++k) {
            append(all, "deepstack_projected." + std::to_string(k) + source,
                   one.deepstack_projected[k]);
        }
    }
    return all;
}

std::vector<NamedTensor> contextual_tensors(const std::vector<ContextualEmbedding>& embeddings) {
    std::vector<NamedTensor> all;
    for (std::size_t a = 0; a < embeddings.size(); ++a) {
        for (const auto& [layer, tensor] : embeddings[a]) {
            append(all, "contextual." + std::to_string(layer) + "." + std::to_string(a), tensor);
        }
    }
    return all;
}

void check_export_target(const std::filesystem::path& file) {
    format_of(file);
    const AtomicFile probe(file);  // opens its temporary name and removes it again
}

void export_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                    const nlohmann::json& manifest, std::stop_token stop,
                    const ProgressCallback& progress) {
    const FileFormat format = format_of(file);
    check_names(tensors);
    // The writers want all data at once, so what is not plain already is copied, one after the
    // other, and kept until the file stands.
    std::vector<at::Tensor> kept;
    std::vector<TensorView> views;
    kept.reserve(tensors.size());
    views.reserve(tensors.size());
    for (const NamedTensor& named : tensors) {
        throw_if_stopped(stop);
        const DType dtype = dtype_of(named);
        kept.push_back(plain_copy(named.tensor));
        const at::Tensor& plain = kept.back();
        views.push_back({named.name, dtype,
                         std::vector<std::int64_t>(plain.sizes().begin(), plain.sizes().end()),
                         static_cast<const std::byte*>(plain.const_data_ptr()), plain.nbytes()});
    }
    // File names of the request may hold bytes that are not UTF-8; JSON cannot.
    const auto text = [](const nlohmann::json& json) {
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    if (format == FileFormat::Safetensors) {
        write_safetensors(file, views, {{"earscope", text(manifest)}}, std::move(stop), progress);
    } else {
        write_npz(file, views, text({{"earscope", manifest}}), std::move(stop), progress);
    }
}

}  // namespace earscope
