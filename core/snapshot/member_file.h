#pragma once
// How the files of a snapshot are reached: by plain names, and through links only where the layout
// of a Hugging Face cache has them.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace earscope {

/// Is something there under this name? A broken link counts.
bool has_member(const std::filesystem::path& folder, std::string_view name);

/// The path of a file of a snapshot, to be opened as it is; nothing where there is none.
/// A Hugging Face cache entry holds snapshots/<revision>/<name> as links to ../../blobs/<hash>:
/// such links are followed, all others that leave the folder are not.
/// @param folder  canonical
/// @param name    one path component
/// @throws SnapshotError  a link to nothing (an incomplete download), in a circle, or out of the
///                        snapshot; not a regular file
std::optional<std::filesystem::path> find_member(const std::filesystem::path& folder,
                                                 std::string_view name);

/// The `blobs` folder of the cache entry a canonical snapshot folder belongs to, or nothing.
std::optional<std::filesystem::path> blobs_of(const std::filesystem::path& folder);

/// Why a shard cannot have this name, or an empty text.
std::string shard_name_fault(std::string_view name);

}  // namespace earscope
