#pragma once
#include "core/session.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace earscope {

struct NamedTensor {
    std::string name;  ///< of the scheme in interfaces.md: "raw.0", "hidden.3", ...
    at::Tensor tensor;
};

/// input_ids, attention_mask, mel, feature_mask or feature_lengths, resampled.a, token_positions.a,
/// time_s.a
std::vector<NamedTensor> prepared_tensors(const PreparedBatch& batch);
/// raw.a, projected.a, deepstack_raw.k.a, deepstack_projected.k.a
std::vector<NamedTensor> embedding_tensors(const std::vector<AudioEmbedding>& embeddings);
/// contextual.l.a, l as asked
std::vector<NamedTensor> contextual_tensors(const std::vector<ContextualEmbedding>& embeddings);

/// The manifest every file carries: version, snapshot, family, dtype, device, attention, requests
/// (prompt, audio names, rates, durations), slots (one per source of the batch), conventions (layer
/// numbering, observation points, no pooling), profile (null where nothing was generated), UTC
/// time. The members of `extra` are put in last and win.
nlohmann::json make_manifest(const Session& session, const PreparedBatch& batch,
                             const nlohmann::json& extra = {});

/// Refuses a target that could not be written, before anything long is computed for it.
/// @throws ExportError  unknown ending, missing or read-only folder, the target is a directory
void check_export_target(const std::filesystem::path& file);

/// Writes by ending, .safetensors or .npz; tensors may be on any device, of any layout, and record
/// gradients. The manifest stands as JSON under `earscope`: in the metadata of a safetensors file,
/// in the object that the array `meta` of an npz file spells. bfloat16 stays bfloat16 in
/// safetensors and is widened to float32 in npz.
/// @throws ExportError  unknown ending, two tensors of one name, an element type that the formats
/// do not know, disk, permission
/// @throws Cancelled
void export_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                    const nlohmann::json& manifest, std::stop_token stop = {},
                    const ProgressCallback& progress = {});

}  // namespace earscope
