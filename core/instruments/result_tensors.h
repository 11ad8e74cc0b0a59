#pragma once
// What instruments found, under the names of interfaces.md. `layers` are the numbers that stand in
// the names, one for each layer of the result, as they were asked for.
#include "core/export/tensor_export.h"
#include "core/instruments/alternatives.h"
#include "core/instruments/attention_maps.h"
#include "core/instruments/layer_views.h"
#include "core/instruments/lens.h"
#include "core/instruments/probes.h"

#include <nlohmann/json.hpp>

namespace earscope {

/// input_ids, attention_mask, token_positions.a, time_s.a: what the rows of a result mean.
std::vector<NamedTensor> position_tensors(const PreparedBatch& batch);

/// probe.MODULE@SCOPE of those whose tensor was kept
std::vector<NamedTensor> probe_tensors(const std::vector<Capture>& captures);

/// lens_positions, lens_ids.l, lens_logprobs.l
std::vector<NamedTensor> lens_tensors(const LensResult& result,
                                      const std::vector<std::int64_t>& layers);

/// generated_ids, attention.l, attention_audio.l.a where there is an answer; attention_rows.l where
/// rows of the prompt were asked for
std::vector<NamedTensor> attention_tensors(const AttentionResult& result,
                                           const std::vector<AudioSlot>& slots,
                                           const std::vector<std::int64_t>& layers);

/// hidden.l of the states kept whole, hidden_norm and hidden_cosine_to_before [N+1,B,L]
std::vector<NamedTensor> layer_tensors(const LayerViews& views,
                                       const std::vector<std::int64_t>& layers);

/// "eos" or "length" of each request.
std::vector<std::string> finish_names(const GenerateResult& result);

/// {"profile","tokens":[[{"id","text","logprob","entropy","top"},...],...],"texts","finish"}
nlohmann::ordered_json alternatives_json(const Processor& processor, Profile profile,
                                         const AlternativesResult& result);

}  // namespace earscope
