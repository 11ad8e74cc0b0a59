#include "core/instruments/saliency.h"

#include "core/base/errors.h"
#include "core/instruments/answer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <charconv>

namespace earscope {

namespace {

constexpr std::string_view kIntegrated = "integrated:";
constexpr std::int64_t kMostSteps = 100'000;

/// The pass whose last position chooses the token.
class Scorer {
public:
    Scorer(Session& session, EditSet& edits, PreparedBatch batch, std::int64_t id, CallOptions call)
        : session_(session),
          edits_(edits),
          batch_(std::move(batch)),
          id_(id),
          call_(std::move(call)) {}

    struct Point {
        double logprob = 0;
        at::Tensor gradient;  ///< of the mel's shape; undefined without gradient
    };

    /// @param mel  in the shape of the batch's mel
    Point at_mel(const at::Tensor& mel, bool gradient) {
        const c10::AutoGradMode mode(gradient);
        batch_.inputs.mel = mel.detach().clone().requires_grad_(gradient);
        call_.grad = gradient;
        edits_.restart();
        const at::Tensor logits = session_.forward(batch_, /*output_hidden_states=*/false, call_)
                                      .logits.select(1, 0);  // [1,V]
        const at::Tensor logprob = at::log_softmax(logits, -1, at::kFloat).select(1, id_).sum();
        Point point{logprob.item<double>(), {}};
        if (!gradient) {
            return point;
        }
        throw_if_stopped(call_.stop);
        if (logprob.requires_grad()) {  // it does not when an edit cut the whole graph
            point.gradient = torch::autograd::grad({logprob}, {batch_.inputs.mel},
                                                   /*grad_outputs=*/{}, /*retain_graph=*/false,
                                                   /*create_graph=*/false,
                                                   /*allow_unused=*/true)[0];
        }
        if (!point.gradient.defined()) {
            point.gradient = at::zeros_like(mel);
        }
        return point;
    }

private:
    Session& session_;
    EditSet& edits_;
    PreparedBatch batch_;
    std::int64_t id_;
    CallOptions call_;
};

/// @return [the mel's shape]
at::Tensor integrated(Scorer& scorer, const at::Tensor& mel, const at::Tensor& silence,
                      std::int64_t steps) {
    const at::Tensor way = mel - silence;
    at::Tensor sum = at::zeros_like(mel);
    for (std::int64_t k = 0; k < steps; ++k) {
        const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(steps);
        sum += scorer.at_mel(silence + way * share, true).gradient;
    }
    return sum / static_cast<double>(steps) * way;
}

/// First dimension of the mel that belongs to each source: windows, or one row.
std::vector<std::int64_t> mel_rows(const PreparedBatch& batch) {
    if (!batch.inputs.windows_per_source.empty()) {
        return batch.inputs.windows_per_source;
    }
    return std::vector<std::int64_t>(batch.slots.size(), 1);
}

void read_totals(SaliencyResult& result, const PreparedBatch& batch) {
    const at::Tensor wide = result.mel.to(at::kDouble);
    result.sum = wide.sum().item<double>();
    const double whole = wide.abs().sum().item<double>();
    for (const at::Tensor& part : wide.split_with_sizes(mel_rows(batch), 0)) {
        result.share.push_back(whole > 0 ? part.abs().sum().item<double>() / whole : 0);
    }
}

/// The answer need not go on behind the token that is asked about.
GenerateOptions up_to_token(const Session& session, const SaliencyOptions& options) {
    GenerateOptions generate = options.generate;
    const SamplingParameters parameters =
        generate.parameters.value_or(sampling_parameters(generate.profile, session.family()));
    const std::int64_t budget = generate.max_new_tokens.value_or(parameters.max_new_tokens);
    generate.max_new_tokens = std::min(budget, std::max<std::int64_t>(options.token, 0) + 1);
    return generate;
}

}  // namespace

SaliencyMethod parse_saliency_method(std::string_view text) {
    if (text == "gradient") {
        return {};
    }
    if (text == "gradient_x_input") {
        return {SaliencyMethod::Kind::GradientTimesInput, 0};
    }
    if (text.starts_with(kIntegrated)) {
        const std::string_view number = text.substr(kIntegrated.size());
        SaliencyMethod method{SaliencyMethod::Kind::Integrated, 0};
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), method.steps);
        if (error == std::errc() && end == number.data() + number.size() && method.steps > 0 &&
            method.steps <= kMostSteps) {
            return method;
        }
    }
    throw RequestError("method '" + std::string(text) +
                       "': expected gradient, gradient_x_input or integrated:STEPS");
}

std::string saliency_method_text(const SaliencyMethod& method) {
    switch (method.kind) {
        case SaliencyMethod::Kind::Gradient:
            return "gradient";
        case SaliencyMethod::Kind::GradientTimesInput:
            return "gradient_x_input";
        case SaliencyMethod::Kind::Integrated:
            break;
    }
    return std::string(kIntegrated) + std::to_string(method.steps);
}

std::int64_t saliency_passes(const SaliencyMethod& method) {
    return method.kind == SaliencyMethod::Kind::Integrated ? method.steps + 2 : 1;
}

void check_saliency_request(const PreparedBatch& batch) {
    const std::int64_t requests = batch.inputs.input_ids.size(0);
    if (requests != 1) {
        throw RequestError("saliency is computed for one request at a time, this call has " +
                           std::to_string(requests));
    }
    if (batch.slots.empty()) {
        throw RequestError("saliency needs audio: it is a map over the mel, the request has none");
    }
}

SaliencyResult saliency(Session& session, const PreparedBatch& batch,
                        const SaliencyOptions& options, std::span<const Edit> edits) {
    check_saliency_request(batch);
    EditSet in_force(session.model(), edits, batch);
    SaliencyResult result;
    result.answer = session.generate(batch, up_to_token(session, options));
    const auto& ids = result.answer.ids.front();
    const auto count = static_cast<std::int64_t>(ids.size());
    if (options.token < 0 || options.token >= count) {
        throw RequestError("there is no token " + std::to_string(options.token) +
                           " in the answer: it has 0 to " + std::to_string(count - 1));
    }
    result.id = ids[static_cast<std::size_t>(options.token)];
    if (options.before_passes) {
        options.before_passes();
    }
    CallOptions call;
    call.stop = options.generate.stop;
    call.progress = options.generate.progress;
    Scorer scorer(
        session, in_force,
        with_answers(batch, result.answer.ids, options.token, session.processor().pad_token_id),
        result.id, call);
    const at::Tensor mel = batch.inputs.mel.to(at::kFloat);
    at::Tensor map;
    if (options.method.kind == SaliencyMethod::Kind::Integrated) {
        const at::Tensor silence = at::full_like(mel, kSilentMel);
        result.logprob = scorer.at_mel(mel, false).logprob;
        result.logprob_silence = scorer.at_mel(silence, false).logprob;
        map = integrated(scorer, mel, silence, options.method.steps);
    } else {
        const Scorer::Point point = scorer.at_mel(mel, true);
        result.logprob = point.logprob;
        map = options.method.kind == SaliencyMethod::Kind::Gradient ? point.gradient
                                                                    : point.gradient * mel;
    }
    result.mel = map.detach().to(at::kCPU, at::kFloat);
    read_totals(result, batch);
    return result;
}

}  // namespace earscope
