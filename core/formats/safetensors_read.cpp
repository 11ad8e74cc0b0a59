#include "core/base/errors.h"
#include "core/base/regular_file.h"
#include "core/base/text.h"
#include "core/formats/safetensors.h"
#include "core/formats/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <limits>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace earscope {
namespace {

constexpr std::uint64_t kPrefixBytes = 8;

std::string shown(const std::filesystem::path& file) {
    return one_line(file.string(), 500);
}

/// The open file and its pages, released together.
struct Mapping {
    explicit Mapping(const std::filesystem::path& path) : file(path) {}
    ~Mapping() {
        if (base != nullptr) {
            ::munmap(base, static_cast<std::size_t>(file.size()));
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    void map() {
        void* const address = ::mmap(nullptr, static_cast<std::size_t>(file.size()), PROT_READ,
                                     MAP_PRIVATE, file.descriptor(), 0);
        if (address == MAP_FAILED) {
            throw std::system_error(errno, std::generic_category());
        }
        base = address;
    }

    RegularFile file;
    void* base = nullptr;
};

/// @throws std::system_error, SnapshotError when the file ends early
void read_at(const RegularFile& file, const std::string& what, std::uint64_t offset, void* into,
             std::size_t bytes) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 30;
    auto* next = static_cast<std::byte*>(into);
    while (bytes > 0) {
        const ssize_t got =
            ::pread(file.descriptor(), next, std::min(bytes, kAtOnce), static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw std::system_error(errno, std::generic_category());
        }
        if (got == 0) {
            throw SnapshotError(what + ": became shorter while it was read; load it again");
        }
        next += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
}

std::uint64_t header_length(const RegularFile& file, const std::string& what) {
    const auto size = static_cast<std::uint64_t>(file.size());
    if (size < kPrefixBytes) {
        throw SnapshotError(what + ": " + std::to_string(size) +
                            " bytes are too few for a safetensors file (is the download "
                            "complete?)");
    }
    std::array<std::byte, kPrefixBytes> prefix{};
    read_at(file, what, 0, prefix.data(), prefix.size());
    const auto length = std::bit_cast<std::uint64_t>(prefix);
    if (length > kMaxSafetensorsHeader) {
        throw SnapshotError(what + ": header length " + std::to_string(length) + " is over " +
                            std::to_string(kMaxSafetensorsHeader) +
                            " (not a safetensors file, or damaged)");
    }
    if (length > size - kPrefixBytes) {
        throw SnapshotError(what + ": header length " + std::to_string(length) +
                            " goes past the end of the file (" + std::to_string(size) +
                            " bytes; is the download complete?)");
    }
    return length;
}

[[noreturn]] void refuse(const std::string& what, const std::system_error& error) {
    throw SnapshotError(
        what + ": cannot be read: " +
        (error.code().value() == ENOTSUP ? "not a regular file" : error.code().message()));
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& file) {
    const std::string what = shown(file);
    try {
        auto mapping = std::make_shared<Mapping>(file);
        const std::uint64_t length = header_length(mapping->file, what);
        std::string text(length, '\0');
        read_at(mapping->file, what, kPrefixBytes, text.data(), text.size());
        if (!text.starts_with('{')) {
            throw SnapshotError(what + ": the header does not start with '{'");
        }
        const std::uint64_t start = kPrefixBytes + length;
        const auto size = static_cast<std::uint64_t>(mapping->file.size());
        SafetensorsHeader header = parse_safetensors_header(text, size - start, what);

        mapping->map();
        SafetensorsFile result;
        result.path_ = file;
        result.metadata_ = std::move(header.metadata);
        const auto* data = static_cast<const std::byte*>(mapping->base) + start;
        for (SafetensorsEntry& entry : header.entries) {
            TensorView view{.name = entry.name,
                            .dtype = entry.dtype,
                            .shape = std::move(entry.shape),
                            .data = data + entry.begin,
                            .bytes = entry.end - entry.begin};
            result.tensors_.emplace(std::move(entry.name), std::move(view));
        }
        result.mapping_ = std::move(mapping);
        return result;
    } catch (const std::system_error& error) {
        refuse(what, error);
    }
}

void SafetensorsFile::read(const TensorView& tensor, std::byte* into) const {
    const auto& mapping = *static_cast<const Mapping*>(mapping_.get());
    const auto offset = tensor.data - static_cast<const std::byte*>(mapping.base);
    const std::string what = shown(path_) + ": tensor " + one_line(tensor.name);
    try {
        read_at(mapping.file, what, static_cast<std::uint64_t>(offset), into, tensor.bytes);
    } catch (const std::system_error& error) {
        refuse(what, error);
    }
}

}  // namespace earscope
