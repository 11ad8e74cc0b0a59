#include "core/instruments/layer_views.h"

#include "core/instruments/answer.h"

#include <ATen/ATen.h>

#include <map>

namespace earscope {

namespace {

/// @return float32 [B,L]; 0 where a vector is zero
at::Tensor cosine(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor wide_a = a.to(at::kFloat);
    const at::Tensor wide_b = b.to(at::kFloat);
    const at::Tensor lengths = wide_a.norm(2, -1) * wide_b.norm(2, -1);
    const at::Tensor product = (wide_a * wide_b).sum(-1);
    return at::where(lengths > 0, product / lengths, at::zeros_like(product));
}

}  // namespace

LayerViews layer_views(Session& session, const PreparedBatch& batch,
                       const std::vector<std::int64_t>& layers, std::span<const Edit> edits,
                       const CallOptions& call) {
    Model& model = session.model();
    check_layers(layers, model.layer_count() + 1);
    const EditSet in_force(model, edits, batch);
    std::map<std::int64_t, at::Tensor> kept;
    for (const std::int64_t layer : layers) {
        kept.try_emplace(layer);
    }
    std::vector<at::Tensor> norms;
    std::vector<at::Tensor> cosines;
    at::Tensor before;
    ForwardOptions forward;
    forward.no_logits = true;
    for (std::int64_t layer = 0; layer <= model.layer_count(); ++layer) {
        forward.hidden_layers.push_back(layer);
    }
    forward.keep = [&](const at::Tensor& states) {
        const auto layer = static_cast<std::int64_t>(norms.size());
        norms.push_back(states.to(at::kFloat).norm(2, -1).cpu());
        cosines.push_back(before.defined() ? cosine(before, states).cpu()
                                           : at::ones_like(norms.back()));
        before = states;
        if (const auto wanted = kept.find(layer); wanted != kept.end()) {
            wanted->second = states.cpu();
        }
        return at::empty({0});
    };
    session.forward(batch, forward, call);
    LayerViews views{at::stack(norms), at::stack(cosines), {}};
    for (const std::int64_t layer : layers) {
        views.states.push_back(kept.at(layer));
    }
    return views;
}

}  // namespace earscope
