#pragma once
#include "core/base/progress.h"
#include "core/formats/tensor_view.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace earscope {

/// A safetensors file, mapped read-only. File layout: 8 bytes little-endian header length, a JSON
/// object {name: {dtype, shape, data_offsets}, "__metadata__": {string: string}}, then the data
/// without holes.
class SafetensorsFile {
public:
    /// Maps the file and checks its whole header before any tensor is used.
    /// @throws SnapshotError  names file, tensor and fault
    static SafetensorsFile open(const std::filesystem::path& file);

    const std::filesystem::path& path() const { return path_; }
    const std::map<std::string, TensorView>& tensors() const { return tensors_; }
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    /// Keeps the mapping alive for as long as a tensor made from it lives.
    std::shared_ptr<const void> mapping() const { return mapping_; }

private:
    std::filesystem::path path_;
    std::map<std::string, TensorView> tensors_;
    std::map<std::string, std::string> metadata_;
    std::shared_ptr<const void> mapping_;
};

/// Writes tensors in the order given (temporary name, write, fsync, rename, fsync of the folder).
/// @throws ExportError  with the reason (free and needed bytes where the disk is full); the old
/// file stays
/// @throws Cancelled
void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata,
                       std::stop_token stop = {}, const ProgressCallback& progress = {});

}  // namespace earscope
