#include "core/instruments/attention_maps.h"

#include "core/base/errors.h"
#include "core/instruments/answer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace earscope {

namespace {

/// Some rows of the weights: what they may see and where their queries stand.
struct Rows {
    at::Tensor seen;   ///< bool [B,1,R,K]
    at::Tensor given;  ///< bool [B,1,R,1]: tokens that exist
    std::int64_t first_query = 0;
    std::int64_t count = 0;
};

/// @param mask  int64 [B,K] of the keys; `given` is left open
Rows causal_rows(const at::Tensor& mask, std::int64_t first_query, std::int64_t count) {
    const std::int64_t keys = mask.size(1);
    Rows rows{{}, {}, first_query, count};
    const at::Tensor queries = at::arange(count, mask.options()) + first_query;
    const at::Tensor before =
        at::arange(keys, mask.options()).unsqueeze(0) <= queries.unsqueeze(1);  // [R,K]
    rows.seen = before.logical_and(mask.to(at::kBool).view({-1, 1, 1, keys}));
    return rows;
}

/// Of each generated token the position it was chosen from.
Rows rows_of_answer(const PreparedBatch& whole, const GenerateResult& answer, std::int64_t steps) {
    const at::Tensor& mask = whole.inputs.attention_mask;  // [B,L+G-1]
    Rows rows = causal_rows(mask, whole.inputs.prompt_width - 1, steps);
    std::vector<std::int64_t> lengths;
    for (const auto& ids : answer.ids) {
        lengths.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const at::Tensor ends = at::tensor(lengths, at::kLong).to(mask.device()).unsqueeze(1);
    rows.given = (at::arange(steps, mask.options()).unsqueeze(0) < ends).view({-1, 1, steps, 1});
    return rows;
}

Rows rows_of_span(const PreparedBatch& batch, const PositionSpan& span) {
    const at::Tensor& mask = batch.inputs.attention_mask;  // [B,L]
    const std::int64_t count = span.end - span.first;
    Rows rows = causal_rows(mask, span.first, count);
    rows.given = mask.narrow(1, span.first, count).to(at::kBool).view({-1, 1, count, 1});
    return rows;
}

/// softmax(q k^T / sqrt(Dh)) of the chosen rows and heads, softmax in float32.
/// @param query  [B,H,Q,Dh]
/// @param key    [B,G,K,Dh], query head h uses key head h / (H/G)
/// @return       float32 [B,heads,rows,keys of the rows] on the CPU
at::Tensor weights_of(const at::Tensor& query, const at::Tensor& key,
                      const std::vector<std::int64_t>& heads, const Rows& rows) {
    const std::int64_t group = query.size(1) / key.size(1);
    const at::Tensor chosen = at::tensor(heads, at::kLong).to(query.device());
    const at::Tensor q = query.narrow(2, rows.first_query, rows.count).index_select(1, chosen);
    const at::Tensor k =
        key.narrow(2, 0, rows.seen.size(3)).index_select(1, at::floor_divide(chosen, group));
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * scale;
    scores = scores.masked_fill(rows.seen.logical_not(), -std::numeric_limits<double>::infinity());
    const at::Tensor weights = at::softmax(scores, -1, at::kFloat);
    return weights.masked_fill(rows.given.logical_not(), 0).cpu();  // padding sees nothing: NaN
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

void check_span(const PositionSpan& span, const PreparedBatch& batch) {
    const std::int64_t width = batch.inputs.input_ids.size(1);
    const std::string asked =
        "rows " + std::to_string(span.first) + ":" + std::to_string(span.end) + ": ";
    if (span.first < 0 || span.end > width) {
        throw RequestError(asked + "the prompt has the positions 0 to " +
                           std::to_string(width - 1) + ", and the second number is at most " +
                           std::to_string(width));
    }
    if (span.end <= span.first) {
        throw RequestError(asked +
                           "the second number is one past the last row and must be greater "
                           "than the first");
    }
    if (span.end - span.first > kMostRows) {
        throw RequestError(asked + "these are " + std::to_string(span.end - span.first) +
                           " rows, at most " + std::to_string(kMostRows) + " can be shown at once");
    }
}

/// The rows that a pass is to give.
struct Wanted {
    std::optional<Rows> answer;
    std::optional<Rows> span;
};

/// One clean pass; fills the weights of each layer asked for.
void collect(Session& session, const PreparedBatch& whole, const Wanted& wanted,
             const AttentionOptions& options, AttentionResult& result) {
    const std::vector<std::int64_t> heads =
        chosen_heads(options.heads, session.model().head_count());
    struct Layer {
        at::Tensor answer;
        at::Tensor span;
    };
    std::map<std::int64_t, Layer> by_layer;
    for (const std::int64_t layer : options.layers) {
        by_layer.try_emplace(layer);
    }
    ForwardOptions forward;
    forward.no_logits = true;
    forward.run_layers = by_layer.empty() ? 0 : by_layer.rbegin()->first + 1;
    forward.on_attention = [&](std::int64_t layer, const at::Tensor& query, const at::Tensor& key) {
        const auto found = by_layer.find(layer);
        if (found == by_layer.end()) {
            return;
        }
        if (wanted.answer) {
            found->second.answer = weights_of(query, key, heads, *wanted.answer);
        }
        if (wanted.span) {
            found->second.span = weights_of(query, key, heads, *wanted.span);
        }
    };
    CallOptions call;
    call.stop = options.generate.stop;
    call.progress = options.generate.progress;
    session.forward(whole, forward, call);
    for (const std::int64_t layer : options.layers) {
        if (wanted.answer) {
            result.weights.push_back(by_layer.at(layer).answer);
        }
        if (wanted.span) {
            result.row_weights.push_back(by_layer.at(layer).span);
        }
    }
}

}  // namespace

PositionSpan parse_span(std::string_view text) {
    const auto number = [text](std::string_view part) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc() || end != part.data() + part.size()) {
            throw RequestError("'" + std::string(text) +
                               "': expected P0:P1, the first position and one past the last");
        }
        return value;
    };
    const auto colon = std::min(text.find(':'), text.size());
    return {number(text.substr(0, colon)), number(text.substr(std::min(colon + 1, text.size())))};
}

AttentionResult attention_maps(Session& session, const PreparedBatch& batch,
                               const AttentionOptions& options, std::span<const Edit> edits) {
    Model& model = session.model();
    check_layers(options.layers, model.layer_count());
    static_cast<void>(chosen_heads(options.heads, model.head_count()));
    Wanted wanted;
    if (options.rows) {
        check_span(*options.rows, batch);
        wanted.span = rows_of_span(batch, *options.rows);
    }
    EditSet in_force(model, edits, batch);
    AttentionResult result;
    if (!options.answer) {
        collect(session, batch, wanted, options, result);
        return result;
    }
    result.answer = session.generate(batch, options.generate);
    const std::int64_t pad = session.processor().pad_token_id;
    result.generated_ids = padded_ids(result.answer.ids, pad);
    const std::int64_t steps = result.generated_ids.size(1);
    const PreparedBatch whole = with_answers(batch, result.answer.ids, steps - 1, pad);
    wanted.answer = rows_of_answer(whole, result.answer, steps);
    in_force.restart();
    collect(session, whole, wanted, options, result);
    return result;
}

at::Tensor attention_to_source(const at::Tensor& weights, const AudioSlot& slot) {
    return weights.select(0, slot.sample_index)
        .index_select(2, slot.token_positions.to(weights.device()));
}

}  // namespace earscope
