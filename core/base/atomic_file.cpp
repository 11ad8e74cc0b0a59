#include "core/base/atomic_file.h"

#include "core/base/errors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace earscope {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int fault, std::size_t needed = 0) {
    std::string message =
        "cannot write " + file.string() + ": " + std::generic_category().message(fault);
    if (fault == ENOSPC) {
        std::error_code ignored;
        const auto space = std::filesystem::space(file.parent_path(), ignored);
        message += " (" + std::to_string(ignored ? 0 : space.available) + " bytes free, at least " +
                   std::to_string(needed) + " more needed)";
    }
    throw ExportError(message);
}

void sync_folder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        ::fsync(descriptor);  // best effort: some file systems refuse to sync a folder
        ::close(descriptor);
    }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
    std::error_code ignored;
    if (target_.empty() || target_.filename().empty()) {
        throw ExportError("cannot write '" + target_.string() + "': a file name is needed");
    }
    if (std::filesystem::is_directory(target_, ignored)) {
        fail(target_, EISDIR);
    }
    std::filesystem::path folder = target_.parent_path();
    if (folder.empty()) {
        folder = ".";
    }
    // The name says whose leftover it is if the program is killed.
    std::string pattern = (folder / ".earscope-XXXXXX.part").string();
    descriptor_ = ::mkostemps(pattern.data(), 5, O_CLOEXEC);
    if (descriptor_ < 0) {
        fail(target_, errno);
    }
    temporary_ = pattern;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor_, 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!committed_) {
        ::unlink(temporary_.c_str());
    }
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    const char* next = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written =
            ::write(descriptor_, next, std::min<std::size_t>(bytes, std::size_t{1} << 30));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail(target_, errno, bytes);
        }
        next += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void AtomicFile::commit() {
    // A library may have replaced the temporary file, so sync what stands under the name now.
    const int descriptor = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail(target_, errno);
    }
    const int fault = ::fsync(descriptor) != 0 ? errno : 0;
    ::close(descriptor);
    if (fault != 0) {
        fail(target_, fault);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail(target_, errno);
    }
    committed_ = true;
    const std::filesystem::path folder = target_.parent_path();
    sync_folder(folder.empty() ? std::filesystem::path(".") : folder);
}

}  // namespace earscope
