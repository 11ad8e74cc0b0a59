#include "core/instruments/lens.h"

#include "core/base/errors.h"
#include "core/instruments/answer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <set>
#include <string>

namespace earscope {

namespace {

/// Rows that go through the output head at once: a vocabulary of 150,000 in float32 takes 80 MB.
constexpr std::int64_t kRowsAtOnce = 128;

/// Reads hidden states at some positions, layer by layer, as they come.
class Reader {
public:
    Reader(Model& model, const at::Tensor& positions, const std::set<std::int64_t>& layers,
           std::int64_t top_k, std::stop_token stop)
        : model_(model),
          positions_(positions),
          layers_(layers.begin(), layers.end()),
          top_k_(top_k),
          stop_(std::move(stop)) {}

    /// @param states  [B,L,D] of the next layer in rising order
    at::Tensor take(const at::Tensor& states) {
        const std::int64_t layer = layers_.at(choices_.size());
        const at::Tensor places = positions_.to(states.device());
        const at::Tensor rows = states.index({places.select(1, 0), places.select(1, 1)});  // [n,D]
        std::vector<at::Tensor> ids{at::empty({0, top_k_}, at::kLong)};
        std::vector<at::Tensor> logprobs{at::empty({0, top_k_}, at::kFloat)};
        for (std::int64_t begin = 0; begin < rows.size(0); begin += kRowsAtOnce) {
            throw_if_stopped(stop_);
            const std::int64_t count = std::min(kRowsAtOnce, rows.size(0) - begin);
            const at::Tensor logits =
                model_.read_out(rows.narrow(0, begin, count), layer == model_.layer_count());
            const TopChoices part = top_choices(logits, top_k_);
            ids.push_back(part.ids.cpu());
            logprobs.push_back(part.logprobs.cpu());
        }
        choices_.push_back({at::cat(ids), at::cat(logprobs)});
        return at::empty({0});
    }

    const TopChoices& of(std::int64_t layer) const {
        const auto found = std::find(layers_.begin(), layers_.end(), layer);
        return choices_.at(static_cast<std::size_t>(found - layers_.begin()));
    }

private:
    Model& model_;
    at::Tensor positions_;
    std::vector<std::int64_t> layers_;
    std::int64_t top_k_;
    std::stop_token stop_;
    std::vector<TopChoices> choices_;
};

}  // namespace

LensResult logit_lens(Session& session, const PreparedBatch& batch, const LensOptions& options,
                      std::span<const Edit> edits, const CallOptions& call) {
    Model& model = session.model();
    check_top_k(options.top_k, model.vocab_size());
    check_layers(options.layers, model.layer_count() + 1);
    const std::set<std::int64_t> layers(options.layers.begin(), options.layers.end());
    LensResult result;
    result.positions = chosen_positions(batch, options.positions);
    Reader reader(model, result.positions, layers, options.top_k, call.stop);
    const EditSet in_force(model, edits, batch);
    ForwardOptions forward;
    forward.hidden_layers.assign(layers.begin(), layers.end());
    forward.no_logits = true;
    forward.keep = [&reader](const at::Tensor& states) { return reader.take(states); };
    if (!layers.empty() && *layers.rbegin() < model.layer_count()) {
        forward.run_layers = *layers.rbegin();
    }
    session.forward(batch, forward, call);
    for (const std::int64_t layer : options.layers) {
        result.choices.push_back(reader.of(layer));
    }
    return result;
}

}  // namespace earscope
