#pragma once
#include <cstdint>
#include <filesystem>

namespace earscope {

/// An open, regular file for reading. Never blocks on a FIFO and follows symbolic links.
class RegularFile {
public:
    /// @throws std::system_error  with the errno of what went wrong (EISDIR for a folder, ENOTSUP
    /// for a FIFO, socket or
    ///                            device); callers turn it into their own kind of error
    explicit RegularFile(const std::filesystem::path& file);
    ~RegularFile();
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    int descriptor() const { return descriptor_; }
    std::int64_t size() const { return size_; }

private:
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

}  // namespace earscope
