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
    /// Copies one of tensors() by reading the file. Unlike a look into the mapping this survives a
    /// file that somebody truncates meanwhile (SIGBUS there, an error here).
    /// @param into  room for `tensor.bytes`
    /// @throws SnapshotError  the file became shorter, or cannot be read
    void read(const TensorView& tensor, std::byte* into) const;

private:
    std::filesystem::path path_;
    std::map<std::string, TensorView> tensors_;
    std::map<std::string, std::string> metadata_;
    std::shared_ptr<const void> mapping_;
};

/// Writes tensors (temporary name, write, fsync, rename, fsync of the folder). The header lists
/// them in the order given; the data lie by falling element size, so that each tensor is aligned.
/// @throws ExportError  with the reason (free and needed bytes where the disk is full); the old
/// file stays
/// @throws Cancelled
void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata,
                       std::stop_token stop = {}, const ProgressCallback& progress = {});

}  // namespace earscope
