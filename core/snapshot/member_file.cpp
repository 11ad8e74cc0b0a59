#include "core/snapshot/member_file.h"

#include "core/base/errors.h"
#include "core/base/text.h"

#include <algorithm>
#include <system_error>

namespace earscope {
namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& file, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end() && rest != file.end();
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
    throw SnapshotError(one_line(file.string(), 500) + ": " + reason);
}

[[noreturn]] void refuse_link(const fs::path& file, const std::error_code& fault) {
    std::error_code ignored;
    if (fault == std::errc::no_such_file_or_directory) {
        refuse(file, "download incomplete: this is a link to " +
                         one_line(fs::read_symlink(file, ignored).string(), 300) +
                         ", which is not there; download the snapshot again");
    }
    refuse(file, "cannot be reached: " + fault.message());
}

}  // namespace

bool has_member(const fs::path& folder, std::string_view name) {
    std::error_code ignored;
    const auto kind = fs::symlink_status(folder / name, ignored).type();
    return kind != fs::file_type::not_found && kind != fs::file_type::none;
}

std::optional<fs::path> blobs_of(const fs::path& folder) {
    if (folder.parent_path().filename() != "snapshots") {
        return std::nullopt;
    }
    fs::path blobs = folder.parent_path().parent_path() / "blobs";
    std::error_code ignored;
    return fs::is_directory(blobs, ignored) ? std::optional(blobs) : std::nullopt;
}

std::optional<fs::path> find_member(const fs::path& folder, std::string_view name) {
    if (!has_member(folder, name)) {
        return std::nullopt;
    }
    fs::path file = folder / name;
    std::error_code fault;
    const fs::path target = fs::canonical(file, fault);
    if (fault) {
        refuse_link(file, fault);
    }
    const auto blobs = blobs_of(folder);
    if (!is_within(target, folder) && !(blobs && target.parent_path() == *blobs)) {
        refuse(file, "is a link out of the snapshot (to " + one_line(target.string(), 300) +
                         "); only links into the blobs of its own Hugging Face cache entry are "
                         "followed");
    }
    const auto kind = fs::status(target, fault).type();
    if (kind == fs::file_type::directory) {
        refuse(file, "is a folder, a file is needed");
    }
    if (kind != fs::file_type::regular) {
        refuse(file, "is not a regular file");
    }
    return file;
}

std::string shard_name_fault(std::string_view name) {
    if (name.empty()) {
        return "is empty";
    }
    if (name.size() > 255) {
        return "is longer than 255 bytes";
    }
    if (name.find_first_of(std::string_view("/\\\0", 3)) != std::string_view::npos) {
        return "is not a plain file name";
    }
    if (!name.ends_with(".safetensors")) {
        return "does not end in .safetensors";
    }
    return {};
}

}  // namespace earscope
