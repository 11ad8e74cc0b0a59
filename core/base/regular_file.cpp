#include "core/base/regular_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace earscope {

RegularFile::RegularFile(const std::filesystem::path& file) {
    // O_NONBLOCK keeps a FIFO without a writer from blocking; it changes nothing for regular files.
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        throw std::system_error(errno, std::generic_category(), file.string());
    }
    struct stat info {};
    int fault = ::fstat(descriptor_, &info) != 0 ? errno : 0;
    if (fault == 0 && S_ISDIR(info.st_mode)) {
        fault = EISDIR;
    } else if (fault == 0 && !S_ISREG(info.st_mode)) {
        fault = ENOTSUP;
    }
    if (fault != 0) {
        ::close(descriptor_);
        throw std::system_error(fault, std::generic_category(), file.string());
    }
    size_ = info.st_size;
}

RegularFile::~RegularFile() {
    ::close(descriptor_);
}

}  // namespace earscope
