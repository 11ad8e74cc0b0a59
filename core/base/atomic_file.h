#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace earscope {

/// A file that appears under its name only when it is complete: written beside the target under a
/// temporary name (".earscope-*.part"), fsync, rename, fsync of the folder. Destroyed without
/// commit(), it removes the temporary file. A target that is a symbolic link stays one; the file it
/// leads to is replaced.
class AtomicFile {
public:
    /// @throws ExportError  the folder cannot be written, or the target is a folder or device
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Says how long the file will be, so that an error of a full disk can name it.
    void expect(std::uint64_t bytes) { expected_ = bytes; }
    /// @throws ExportError  disk full (free and needed bytes), input/output error, file size limit
    void write(const void* data, std::size_t bytes);
    void commit();
    /// For libraries that want to write the file themselves; commit() still syncs and renames it.
    const std::filesystem::path& temporary_path() const { return temporary_; }
    /// Throws what write() would for this errno.
    [[noreturn]] void fail(int fault) const;

private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    std::uint64_t expected_ = 0;
    std::uint64_t written_ = 0;
    int descriptor_ = -1;
    bool committed_ = false;
};

}  // namespace earscope
