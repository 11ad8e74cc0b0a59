#pragma once
#include "core/session.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace earscope {

/// One stage of a model held against the reference's values of it.
struct SelfCheckStage {
    std::string name;  ///< "input_ids", "mel", "raw", "projected", "deepstack 1", "hidden 0", ...
    std::string measure;  ///< what `error` is: "largest", "rms", "ids that differ" or
                          ///< "beyond float16", where nothing can be compared
    double error = 0;     ///< infinite where shapes differ or a value is not finite
    double bound = 0;
    bool passed() const { return error <= bound; }
};

struct SelfCheckResult {
    std::string model;  ///< folder's name
    std::string family;
    std::string device;
    std::vector<SelfCheckStage> stages;
    bool passed() const;
};

/// The demonstration snapshots that golden values ship beside.
inline constexpr std::array kSelfCheckModels = {"music-flamingo", "moss-music"};

/// Runs the request that the golden values of a demonstration snapshot were made from, and compares
/// every stage: input ids, mel, encoder, projector, DeepStack streams, hidden states, logits and a
/// greedy answer.
///
/// Golden values: `selfcheck.safetensors` in the snapshot's folder, float32, of the reference
/// implementation, under the names of exported tensors; `generated_ids` holds the greedy answer.
/// Its metadata `selfcheck` is {"prompt", "audio" (relative to `demo`), "max_new_tokens"}.
/// Bounds: float32 1e-4 of a stage's largest value (2e-4 for the mel, ids equal); bfloat16 and
/// float16 by root mean square, 3 % and 0.5 % for audio, 7 % and 1 % for the language model, where
/// two attention kernels of the reference differ by half of that. A stage whose golden values leave
/// float16's range (65,504) is told and not held against a float16 run, nor is what the language
/// model makes of it: the reference overflows there as well. The greedy answer is compared in
/// float32 alone, because rounding may decide between two near tokens.
///
/// @param demo    folder of the demonstration, `demo_folder()`
/// @param model   one of kSelfCheckModels
/// @throws SnapshotError  the snapshot or its golden values are missing or damaged
/// @throws DeviceError, Cancelled
SelfCheckResult self_check(const std::filesystem::path& demo, const std::string& model,
                           const LoadOptions& options);

}  // namespace earscope
