#include "core/instruments/gradients.h"

#include "core/base/errors.h"
#include "core/instruments/names.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace earscope {

namespace {

/// Lets chosen parameters require gradients, and puts them back as they were.
class TrackedParameters {
public:
    TrackedParameters() = default;
    TrackedParameters(const TrackedParameters&) = delete;
    TrackedParameters& operator=(const TrackedParameters&) = delete;
    ~TrackedParameters() {
        for (auto& [parameter, before] : tracked_) {
            parameter.requires_grad_(before);
        }
    }
    void track(const at::Tensor& parameter) {
        tracked_.emplace_back(parameter, parameter.requires_grad());
        parameter.requires_grad_(true);
    }

private:
    std::vector<std::pair<at::Tensor, bool>> tracked_;
};

at::Tensor find_parameter(Model& model, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [candidate, parameter] : model.named_parameters()) {
        if (candidate == name) {
            return parameter;
        }
        known.push_back(candidate);
    }
    known.emplace_back(kMelName);
    throw RequestError(unknown_name_message("parameter", name, known));
}

/// @return float32 scalar that is part of the graph
at::Tensor loss_of(Session& session, const PreparedBatch& batch, GradientLoss loss,
                   const CallOptions& options) {
    std::vector<at::Tensor> rows;  // A of [U_i,D]
    if (loss == GradientLoss::Audio) {
        for (const AudioEmbedding& source : session.extract_audio_embeddings(batch, options)) {
            rows.push_back(source.projected);
        }
    } else {
        for (const auto& source : session.extract_contextual_embeddings(batch, {-1}, options)) {
            rows.push_back(source.at(-1));
        }
    }
    return at::cat(rows).to(at::kFloat).square().sum();
}

}  // namespace

Gradients compute_gradients(Session& session, const PreparedBatch& batch, GradientLoss loss,
                            const std::vector<std::string>& names, CallOptions options) {
    if (batch.slots.empty()) {
        throw RequestError(
            "gradients need audio: the loss is over audio tokens, the request has "
            "none");
    }
    const c10::AutoGradMode with_gradients(true);
    PreparedBatch tracked = batch;
    TrackedParameters parameters;
    Gradients result;
    std::vector<at::Tensor> by;
    for (const std::string& name : names) {
        const bool repeated = std::any_of(result.by_name.begin(), result.by_name.end(),
                                          [&](const auto& entry) { return entry.first == name; });
        if (repeated) {
            continue;
        }
        if (name == kMelName) {
            tracked.inputs.mel = batch.inputs.mel.detach().clone().requires_grad_(true);
            by.push_back(tracked.inputs.mel);
        } else {
            by.push_back(find_parameter(session.model(), name));
            parameters.track(by.back());
        }
        result.by_name.emplace_back(name, at::Tensor());
    }
    options.grad = true;
    const at::Tensor value = loss_of(session, tracked, loss, options);
    throw_if_stopped(options.stop);
    std::vector<at::Tensor> gradients(by.size());
    if (value.requires_grad()) {  // it does not when an edit cut the whole graph
        gradients = torch::autograd::grad({value}, by, /*grad_outputs=*/{},
                                          /*retain_graph=*/false, /*create_graph=*/false,
                                          /*allow_unused=*/true);
    }
    for (std::size_t i = 0; i < by.size(); ++i) {
        const at::Tensor& gradient = gradients[i];
        result.by_name[i].second =
            (gradient.defined() ? gradient : at::zeros_like(by[i])).detach().to(at::kCPU);
    }
    result.loss = value.detach().to(at::kCPU).reshape({1});
    return result;
}

}  // namespace earscope
