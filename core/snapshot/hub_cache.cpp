#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_text.h"
#include "core/snapshot/family.h"
#include "core/snapshot/member_file.h"
#include "core/snapshot/snapshot.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace earscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = "config.json";

[[noreturn]] void refuse(const fs::path& folder, const std::string& reason) {
    throw SnapshotError(one_line(folder.string(), 500) + ": " + reason);
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const auto last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// The revision refs/main names, where its folder is there.
std::optional<fs::path> main_revision(const fs::path& entry) {
    std::error_code ignored;
    if (!fs::is_regular_file(entry / "refs" / "main", ignored)) {
        return std::nullopt;
    }
    const std::string revision = trimmed(read_text_file(entry / "refs" / "main", 4096));
    if (revision.empty() || revision == "." || revision == ".." ||
        revision.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
        return std::nullopt;
    }
    fs::path folder = entry / "snapshots" / revision;
    return has_member(folder, kConfig) ? std::optional(folder) : std::nullopt;
}

std::optional<fs::path> newest_revision(const fs::path& entry) {
    std::optional<fs::path> newest;
    fs::file_time_type time = fs::file_time_type::min();
    std::error_code fault;
    for (const auto& revision : fs::directory_iterator(entry / "snapshots", fault)) {
        std::error_code ignored;
        const auto changed = fs::last_write_time(revision.path(), ignored);
        if (!ignored && has_member(revision.path(), kConfig) && (!newest || changed > time)) {
            newest = revision.path();
            time = changed;
        }
    }
    return newest;
}

std::optional<fs::path> environment(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') {
        return std::nullopt;
    }
    const char* const home = std::getenv("HOME");
    const std::string_view text = value;
    if (home != nullptr && (text == "~" || text.starts_with("~/"))) {
        return fs::path(home) / text.substr(std::min<std::size_t>(text.size(), 2));
    }
    return fs::path(value);
}

/// Where huggingface_hub keeps its downloads, by the variables it reads and in its order.
std::optional<fs::path> hub_folder() {
    for (const char* const name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
        if (auto folder = environment(name)) {
            return folder;
        }
    }
    if (const auto home = environment("HF_HOME")) {
        return *home / "hub";
    }
    if (const auto cache = environment("XDG_CACHE_HOME")) {
        return *cache / "huggingface" / "hub";
    }
    if (const auto home = environment("HOME")) {
        return *home / ".cache" / "huggingface" / "hub";
    }
    return std::nullopt;
}

bool is_supported(const fs::path& entry) try {
    const fs::path folder = resolve_snapshot(entry);
    const auto config = find_member(folder, kConfig);
    return config && recognise_family(read_json_file(*config)).has_value();
} catch (const SnapshotError&) {
    return false;  // a list of what can be opened has no place for the reasons
} catch (const std::system_error&) {
    return false;
}

}  // namespace

fs::path resolve_snapshot(const fs::path& given) {
    std::error_code fault;
    fs::path folder = fs::canonical(given, fault);
    if (fault) {
        refuse(given, "cannot be opened: " + fault.message());
    }
    if (!fs::is_directory(folder, fault)) {
        refuse(given, "is not a folder; give the folder that holds config.json");
    }
    if (has_member(folder, kConfig)) {
        return folder;
    }
    if (!fs::is_directory(folder / "snapshots", fault)) {
        refuse(given,
               "config.json is missing; give the folder of a snapshot or a Hugging Face "
               "cache entry (models--*)");
    }
    auto found = main_revision(folder);
    if (!found) {
        found = newest_revision(folder);
    }
    if (!found) {
        refuse(given, "download incomplete: no snapshot of this cache entry has a config.json");
    }
    fs::path resolved = fs::canonical(*found, fault);
    if (fault || resolved.parent_path() != folder / "snapshots") {
        refuse(given, "its snapshot " + one_line(found->filename().string()) +
                          " is a link to another place");
    }
    return resolved;
}

std::vector<fs::path> cached_snapshots() {
    std::vector<fs::path> entries;
    const auto hub = hub_folder();
    if (!hub) {
        return entries;
    }
    std::error_code fault;
    for (auto entry = fs::directory_iterator(*hub, fault);
         !fault && entry != fs::directory_iterator(); entry.increment(fault)) {
        if (entry->path().filename().string().starts_with("models--") &&
            is_supported(entry->path())) {
            entries.push_back(entry->path());
        }
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

}  // namespace earscope
