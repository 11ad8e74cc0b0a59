#include "core/instruments/saliency_cost.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace earscope {

namespace {

/// Bytes that this thread's tensors hold since the meter was set up, on any device.
class MemoryMeter : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void* /*memory*/, std::int64_t bytes, std::size_t /*allocated*/,
                           std::size_t /*reserved*/, c10::Device /*device*/) override {
        const std::int64_t now = held_.fetch_add(bytes) + bytes;
        std::int64_t before = peak_.load();
        while (before < now && !peak_.compare_exchange_weak(before, now)) {
        }
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t held() const { return held_.load(); }
    std::int64_t peak() const { return peak_.load(); }

private:
    std::atomic<std::int64_t> held_{0};
    std::atomic<std::int64_t> peak_{0};
};

/// How far a stage was at some moment.
struct Mark {
    double seconds = 0;
    std::int64_t bytes = 0;
    std::int64_t done = 0;
    std::int64_t total = 0;

    double share() const {
        return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
    }
};

/// Follows a forward pass by its progress.
class Watch {
public:
    Watch(const MemoryMeter& meter, c10::Device device) : meter_(meter), device_(device) {}

    void see(const Progress& progress) {
        Mark mark = now();
        mark.done = progress.done;
        mark.total = progress.total;
        (progress.stage == Stage::Encode ? encode : prefill) = mark;
    }
    Mark now() const {
        if (!device_.is_cpu()) {
            // What was asked of the device so far is done, not only asked for.
            const c10::impl::VirtualGuardImpl guard(device_.type());
            guard.synchronizeDevice(device_.index());
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
        return {passed.count(), meter_.held(), 0, 0};
    }

    Mark encode;
    Mark prefill;

private:
    const MemoryMeter& meter_;
    c10::Device device_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Multiplications of the decoder's layers for one of the encoder's, roughly: weights times
/// positions.
double decoder_share(Session& session, const PreparedBatch& batch) {
    double encoder = 0;
    double decoder = 0;
    for (const auto& [name, weight] : session.model().named_parameters()) {
        const auto count = static_cast<double>(weight.numel());
        if (name.find("language_model.layers.") != std::string::npos) {
            decoder += count;
        } else if (name.find("audio_tower") != std::string::npos ||
                   name.find("audio_encoder") != std::string::npos) {
            encoder += count;
        }
    }
    double tokens = 0;
    for (const AudioSlot& slot : batch.slots) {
        tokens += static_cast<double>(slot.token_count);
    }
    // Music Flamingo's encoder has two positions for each token.
    const double positions = tokens * (session.family() == Family::MusicFlamingo ? 2 : 1);
    const auto width = static_cast<double>(batch.inputs.input_ids.size(1));
    return encoder * positions > 0 ? decoder * width / (encoder * positions) : 1;
}

/// The whole of a forward pass that ended early.
PassCost carried_on(const Watch& watch, Session& session, const PreparedBatch& batch) {
    PassCost cost;
    const Mark& encode = watch.encode;
    const Mark& prefill = watch.prefill;
    if (prefill.done > 0) {
        const double more = 1 / prefill.share();
        cost.forward_seconds = encode.seconds + (prefill.seconds - encode.seconds) * more;
        cost.bytes = encode.bytes + static_cast<std::int64_t>(
                                        static_cast<double>(prefill.bytes - encode.bytes) * more);
    } else if (encode.done > 0) {
        const double seconds = encode.seconds / encode.share();
        const double bytes = static_cast<double>(encode.bytes) / encode.share();
        const double decoder = decoder_share(session, batch);
        // Activations grow with a layer's width, its multiplications with the square of it.
        const double narrow = static_cast<double>(session.model().audio_width()) /
                              static_cast<double>(session.model().hidden_size());
        cost.forward_seconds = seconds * (1 + decoder);
        cost.bytes = static_cast<std::int64_t>(bytes * (1 + decoder * narrow));
    }
    const double spent = std::max(encode.seconds, prefill.seconds);
    cost.measured = cost.forward_seconds > 0 ? std::min(1.0, spent / cost.forward_seconds) : 0;
    // Weights take no gradients, so the way back costs about as much as the way there.
    cost.seconds = 2 * cost.forward_seconds;
    return cost;
}

}  // namespace

PassCost measure_pass(Session& session, const PreparedBatch& batch, double budget_seconds,
                      std::int64_t budget_bytes, const CallOptions& options) {
    check_saliency_request(batch);
    PreparedBatch pass = batch;
    pass.inputs.mel = batch.inputs.mel.to(at::kFloat).detach().clone().requires_grad_(true);
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard watching(c10::DebugInfoKind::PROFILER_STATE, meter);
    const c10::AutoGradMode gradients(true);
    Watch watch(*meter, session.device());
    std::stop_source stop;
    const std::stop_callback passed_on(options.stop, [&stop] { stop.request_stop(); });
    CallOptions call;
    call.grad = true;
    call.stop = stop.get_token();
    call.progress = [&](const Progress& progress) {
        watch.see(progress);
        const Mark mark = watch.now();
        // Before something of the stage is done there is nothing to carry on from.
        if (progress.done > 0 && (mark.seconds > budget_seconds || mark.bytes > budget_bytes)) {
            stop.request_stop();
        }
    };
    PassCost cost;
    try {
        const at::Tensor logits = session.forward(pass, false, call).logits.select(1, 0);  // [1,V]
        cost.forward_seconds = watch.now().seconds;
        const at::Tensor most = at::log_softmax(logits, -1, at::kFloat).amax();
        if (most.requires_grad()) {
            torch::autograd::grad({most}, {pass.inputs.mel}, {}, false, false, true);
        }
        cost.seconds = watch.now().seconds;
        cost.bytes = meter->peak();
        cost.backward_ran = true;
        return cost;
    } catch (const Cancelled&) {
        throw_if_stopped(options.stop);
        return carried_on(watch, session, batch);
    }
}

SaliencyCost saliency_cost(const PassCost& pass, const SaliencyMethod& method) {
    SaliencyCost cost{saliency_passes(method), pass.seconds, pass.bytes};
    if (method.kind == SaliencyMethod::Kind::Integrated) {
        // Both ends of the way are forward passes alone.
        cost.seconds = static_cast<double>(method.steps) * pass.seconds + 2 * pass.forward_seconds;
    }
    return cost;
}

}  // namespace earscope
