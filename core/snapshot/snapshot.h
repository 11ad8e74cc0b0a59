#pragma once
#include "core/formats/safetensors.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace earscope {

enum class Family { MusicFlamingo, MossMusic };

std::string_view family_name(Family family);  ///< "Music Flamingo", "MOSS-Music"

/// A local model folder whose configuration and tensor headers were read and checked; no weight was
/// touched yet.
struct Snapshot {
    std::filesystem::path folder;  ///< resolved: the folder that holds config.json
    std::string
        name;  ///< "org/name @ short-commit" in a Hugging Face cache, else the folder's name
    Family family = Family::MusicFlamingo;
    std::string recognised_by;         ///< what named the family: `model_type "musicflamingo"`
    nlohmann::json config;             ///< config.json
    nlohmann::json generation_config;  ///< generation_config.json, or an empty object
    nlohmann::json processor_config;   ///< processor_config.json (or preprocessor_config.json), or
                                       ///< an empty object
    nlohmann::json tokenizer_config;   ///< tokenizer_config.json, or an empty object
    std::string chat_template;         ///< chat_template.jinja or the tokenizer config's, or empty
    std::vector<SafetensorsFile> shards;
    std::map<std::string, TensorView> tensors;    ///< all tensors by their name on disk
    std::map<std::string, std::size_t> shard_of;  ///< tensor name -> index into `shards`
    std::vector<std::pair<std::string, std::int64_t>> files;  ///< file names and bytes, for display
    std::int64_t weight_bytes = 0;
    std::vector<std::string> notices;  ///< one-line remarks for the user, e.g. on optional files
};

/// Finds the folder that holds config.json: the folder itself, or the newest (refs/main first)
/// snapshot of a Hugging Face cache entry `models--org--name`.
/// @throws SnapshotError
std::filesystem::path resolve_snapshot(const std::filesystem::path& given);

/// The entries of the Hugging Face cache (HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
/// XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub) that hold a config.json of a supported
/// family.
std::vector<std::filesystem::path> cached_snapshots();

/// Reads and checks everything of a snapshot but the weights' values. Nothing in it is executed and
/// nothing outside of it is read: symbolic links are followed within the folder and into the blobs
/// of its own Hugging Face cache entry only.
/// @throws SnapshotError  names what is missing, damaged or unsupported, and the family recognised
Snapshot open_snapshot(const std::filesystem::path& given);

struct ExpectedTensor {
    std::string name;  ///< as on disk
    std::vector<std::int64_t> shape;
};

/// Holds the tensors of a snapshot against those the model needs: missing, unexpected, wrong shape,
/// not a floating type. `ignored` names may be there and are not used.
/// @throws SnapshotError  counts and up to 20 names of each kind
void check_tensors(const Snapshot& snapshot, const std::vector<ExpectedTensor>& expected,
                   const std::vector<std::string>& ignored = {});

}  // namespace earscope
