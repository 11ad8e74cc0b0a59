#pragma once
#include <cstddef>
#include <filesystem>

namespace earscope {

/// A file that appears under its name only when it is complete: written beside the target under a
/// temporary name, fsync, rename, fsync of the folder. Destroyed without commit(), it removes the
/// temporary file.
class AtomicFile {
public:
    /// @throws ExportError  the folder cannot be written, or the target is a directory
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// @throws ExportError  disk full (free and needed bytes), input/output error, file size limit
    void write(const void* data, std::size_t bytes);
    void commit();
    /// For libraries that want to write the file themselves; commit() still syncs and renames it.
    const std::filesystem::path& temporary_path() const { return temporary_; }

private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    int descriptor_ = -1;
    bool committed_ = false;
};

}  // namespace earscope
