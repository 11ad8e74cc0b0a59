#include "core/instruments/attention_maps.h"

#include "core/base/errors.h"
#include "core/instruments/answer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace earscope {

namespace {

/// What the rows of a result may see and where their queries stand.
struct Rows {
    at::Tensor seen;   ///< bool [B,1,G,K]
    at::Tensor given;  ///< bool [B,1,G,1]: tokens that exist
    std::int64_t first_query = 0;
    std::int64_t count = 0;
};

Rows rows_of(const PreparedBatch& whole, const GenerateResult& answer, std::int64_t steps) {
    const at::Tensor& mask = whole.inputs.attention_mask;  // [B,L+G-1]
    const std::int64_t keys = mask.size(1);
    Rows rows;
    rows.first_query = whole.inputs.prompt_width - 1;
    rows.count = steps;
    const auto options = mask.options();
    const at::Tensor queries = at::arange(steps, options) + rows.first_query;
    const at::Tensor before =
        at::arange(keys, options).unsqueeze(0) <= queries.unsqueeze(1);  // [G,K]
    rows.seen = before.logical_and(mask.to(at::kBool).view({-1, 1, 1, keys}));
    std::vector<std::int64_t> lengths;
    for (const auto& ids : answer.ids) {
        lengths.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const at::Tensor ends = at::tensor(lengths, at::kLong).to(mask.device()).unsqueeze(1);
    rows.given = (at::arange(steps, options).unsqueeze(0) < ends).view({-1, 1, steps, 1});
    return rows;
}

/// softmax(q k^T / sqrt(Dh)) of the chosen rows and heads, softmax in float32.
/// @param query  [B,H,Q,Dh]
/// @param key    [B,G,K,Dh], query head h uses key head h / (H/G)
/// @return       float32 [B,heads,rows,K] on the CPU
at::Tensor weights_of(const at::Tensor& query, const at::Tensor& key,
                      const std::vector<std::int64_t>& heads, const Rows& rows) {
    const std::int64_t group = query.size(1) / key.size(1);
    const at::Tensor chosen = at::tensor(heads, at::kLong).to(query.device());
    const at::Tensor q = query.narrow(2, rows.first_query, rows.count).index_select(1, chosen);
    const at::Tensor k = key.index_select(1, at::floor_divide(chosen, group));
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * scale;
    scores = scores.masked_fill(rows.seen.logical_not(), -std::numeric_limits<double>::infinity());
    const at::Tensor weights = at::softmax(scores, -1, at::kFloat);
    return weights.masked_fill(rows.given.logical_not(), 0).cpu();
}

std::vector<std::int64_t> chosen_heads(const std::vector<std::int64_t>& heads, std::int64_t count) {
    for (const std::int64_t head : heads) {
        if (head < 0 || head >= count) {
            throw RequestError("there is no head " + std::to_string(head) +
                               ": this model has query heads 0 to " + std::to_string(count - 1));
        }
    }
    if (!heads.empty()) {
        return heads;
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
}

}  // namespace

AttentionResult attention_maps(Session& session, const PreparedBatch& batch,
                               const AttentionOptions& options, std::span<const Edit> edits) {
    Model& model = session.model();
    check_layers(options.layers, model.layer_count());
    const std::vector<std::int64_t> heads = chosen_heads(options.heads, model.head_count());
    EditSet in_force(model, edits, batch);
    AttentionResult result;
    result.answer = session.generate(batch, options.generate);
    const std::int64_t pad = session.processor().pad_token_id;
    result.generated_ids = padded_ids(result.answer.ids, pad);
    const std::int64_t steps = result.generated_ids.size(1);
    const PreparedBatch whole = with_answers(batch, result.answer.ids, steps - 1, pad);
    const Rows rows = rows_of(whole, result.answer, steps);

    std::map<std::int64_t, at::Tensor> by_layer;
    for (const std::int64_t layer : options.layers) {
        by_layer.try_emplace(layer);
    }
    ForwardOptions forward;
    forward.no_logits = true;
    forward.run_layers = by_layer.empty() ? 0 : by_layer.rbegin()->first + 1;
    forward.on_attention = [&](std::int64_t layer, const at::Tensor& query, const at::Tensor& key) {
        if (const auto wanted = by_layer.find(layer); wanted != by_layer.end()) {
            wanted->second = weights_of(query, key, heads, rows);
        }
    };
    CallOptions call;
    call.stop = options.generate.stop;
    call.progress = options.generate.progress;
    in_force.restart();
    session.forward(whole, forward, call);
    for (const std::int64_t layer : options.layers) {
        result.weights.push_back(by_layer.at(layer));
    }
    return result;
}

at::Tensor attention_to_source(const at::Tensor& weights, const AudioSlot& slot) {
    return weights.select(0, slot.sample_index)
        .index_select(2, slot.token_positions.to(weights.device()));
}

std::int64_t attention_bytes(const PreparedBatch& batch, std::int64_t layers, std::int64_t heads,
                             std::int64_t new_tokens) {
    const std::int64_t width = batch.inputs.input_ids.size(1) + new_tokens - 1;
    return layers * heads * batch.inputs.input_ids.size(0) * new_tokens * width * 4;
}

}  // namespace earscope
