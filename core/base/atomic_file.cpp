#include "core/base/atomic_file.h"

#include "core/base/errors.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace earscope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& target, const std::string& reason) {
    throw ExportError("cannot write " + one_line(target.string(), 500) + ": " + reason);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void sync_folder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        ::fsync(descriptor);  // best effort: some file systems refuse to sync a folder
        ::close(descriptor);
    }
}

/// The name says whose leftover it is if the program is killed.
std::filesystem::path temporary_name(const std::filesystem::path& folder) {
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device device;
    std::string name = ".earscope-";
    for (int i = 0; i < 10; ++i) {
        name += kLetters[device() % (sizeof(kLetters) - 1)];
    }
    return folder / (name + ".part");
}

/// Mode of the file to be replaced; 0 where there is none. Renaming over a device or FIFO would
/// take it away from everybody, so these are refused.
mode_t replaced_mode(const std::filesystem::path& target) {
    struct stat info {};
    if (::lstat(target.c_str(), &info) != 0) {
        return 0;
    }
    if (S_ISDIR(info.st_mode)) {
        refuse(target, std::generic_category().message(EISDIR));
    }
    if (!S_ISREG(info.st_mode)) {
        refuse(target, "not a regular file");
    }
    return info.st_mode & 0777U;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
    if (target_.empty() || target_.filename().empty()) {
        refuse(target_, "a file name is needed");
    }
    std::error_code fault;
    if (std::filesystem::is_symlink(target_, fault)) {
        target_ = std::filesystem::weakly_canonical(target_, fault);
        if (fault) {
            fail(fault.value());
        }
    }
    const mode_t mode = replaced_mode(target_);
    do {
        temporary_ = temporary_name(folder_of(target_));
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
        fail(errno);
    }
    if (mode != 0) {
        ::fchmod(descriptor_, mode);  // a private file stays private
    }
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!committed_) {
        ::unlink(temporary_.c_str());
    }
}

void AtomicFile::fail(int fault) const {
    std::string reason = std::generic_category().message(fault);
    if (fault == ENOSPC || fault == EDQUOT) {
        std::error_code unknown;
        const auto space = std::filesystem::space(folder_of(target_), unknown);
        reason += " (" + (unknown ? std::string("unknown") : std::to_string(space.available)) +
                  " bytes free, " + std::to_string(std::max(expected_, written_)) +
                  " needed); free space or choose another folder";
    }
    refuse(target_, reason);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    const char* next = static_cast<const char*>(data);
    written_ += bytes;
    while (bytes > 0) {
        const ssize_t written =
            ::write(descriptor_, next, std::min<std::size_t>(bytes, std::size_t{1} << 30));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail(errno);
        }
        next += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void AtomicFile::commit() {
    // A library may have replaced the temporary file, so sync what stands under the name now.
    const int descriptor = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail(errno);
    }
    const int fault = ::fsync(descriptor) != 0 ? errno : 0;
    ::close(descriptor);
    if (fault != 0) {
        fail(fault);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail(errno);
    }
    committed_ = true;
    sync_folder(folder_of(target_));
}

}  // namespace earscope
