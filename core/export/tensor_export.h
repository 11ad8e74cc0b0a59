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

/// The manifest every file carries: version, snapshot, family, dtype, device, attention, request,
/// slots, conventions (layer numbering, observation points, no pooling), UTC time. `extra` is
/// merged in.
nlohmann::json make_manifest(const Session& session, const PreparedBatch& batch,
                             const nlohmann::json& extra = {});

/// Writes by ending, .safetensors or .npz; tensors may be on any device and non-contiguous.
/// @throws ExportError  unknown ending, disk, permission
void export_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                    const nlohmann::json& manifest, std::stop_token stop = {},
                    const ProgressCallback& progress = {});

}  // namespace earscope
