#include "core/session.h"

#include "core/models/families.h"
#include "core/models/generation.h"
#include "core/models/prepare.h"
#include "core/models/weights.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <new>

namespace earscope {
namespace {

/// The first line of a torch error, without its stack.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

c10::Device resolve_device(const std::string& wanted) {
    const std::vector<std::string> devices = available_devices();
    std::string name = wanted == "auto" ? devices.back() : wanted;
    if (wanted == "auto" && devices.size() > 1) {
        name = devices[1];
    } else if (name == "cuda") {
        name = "cuda:0";
    }
    if (std::find(devices.begin(), devices.end(), name) == devices.end()) {
        std::string there;
        for (const std::string& device : devices) {
            there += (there.empty() ? "" : ", ") + device;
        }
        throw DeviceError("device '" + wanted + "' is not there; this machine has: " + there);
    }
    return c10::Device(name);
}

void check_dtype(at::ScalarType dtype) {
    if (dtype != at::kFloat && dtype != at::kBFloat16 && dtype != at::kHalf) {
        throw DeviceError(std::string("dtype ") + at::toString(dtype) +
                          " is not supported; use float32, bfloat16 or float16");
    }
}

at::Tensor rows_at(const at::Tensor& states, const AudioSlot& slot) {
    return states.select(0, slot.sample_index)
        .index_select(0, slot.token_positions.to(states.device()));
}

/// [U,C] -> one [U_i,C] per source.
std::vector<at::Tensor> split_sources(const at::Tensor& flat,
                                      const std::vector<std::int64_t>& counts) {
    if (!flat.defined()) {
        return std::vector<at::Tensor>(counts.size());
    }
    return flat.split_with_sizes(counts, 0);
}

}  // namespace

struct Session::Impl {
    explicit Impl(Snapshot opened) : snapshot(std::move(opened)) {}

    Snapshot snapshot;
    LoadOptions options;
    c10::Device device = c10::Device(c10::kCPU);
    std::unique_ptr<Model> model;
    std::unique_ptr<Processor> processor;
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    std::string dead;  ///< why the device can no longer be used

    /// Runs `call` as the only one on this session, with gradients on or off, and turns faults of
    /// memory and device into DeviceError.
    template <typename Call>
    auto exclusively(bool grad, Call&& call) -> decltype(call());

    std::vector<std::int64_t> resolve_layers(const std::vector<std::int64_t>& layers) const;
};

template <typename Call>
auto Session::Impl::exclusively(bool grad, Call&& call) -> decltype(call()) {
    if (busy.test_and_set()) {
        throw BusyError("this session is busy with another call; wait for it or cancel it");
    }
    struct Release {
        std::atomic_flag& flag;
        ~Release() { flag.clear(); }
    } release{busy};
    if (!dead.empty()) {
        throw DeviceError("the device was lost (" + dead + "); load the snapshot again or restart");
    }
    c10::AutoGradMode mode(grad);
    try {
        return call();
    } catch (const std::bad_alloc&) {
        throw DeviceError(
            "out of memory on the CPU; use fewer or shorter sources, fewer layers or bfloat16");
    } catch (const c10::OutOfMemoryError& error) {
        throw DeviceError("out of memory on " + device.str() +
                          "; use fewer or shorter sources, fewer layers or bfloat16 (" +
                          first_line(error.what_without_backtrace()) + ")");
    } catch (const c10::Error& error) {
        const std::string text = first_line(error.what_without_backtrace());
        if (text.find("CUDA error") != std::string::npos) {
            dead = text;
            throw DeviceError("the device failed: " + text +
                              "; load the snapshot again or restart");
        }
        if (text.find("can't allocate memory") != std::string::npos) {
            throw DeviceError(
                "out of memory on the CPU; use fewer or shorter sources, fewer layers or bfloat16");
        }
        throw Error("internal error: " + text);
    }
}

std::vector<std::int64_t> Session::Impl::resolve_layers(
    const std::vector<std::int64_t>& layers) const {
    const std::int64_t count = model->layer_count();
    std::vector<std::int64_t> resolved;
    for (const std::int64_t layer : layers) {
        if (layer < -(count + 1) || layer > count) {
            throw RequestError("layer " + std::to_string(layer) +
                               " is not there; hidden states are 0.." + std::to_string(count) +
                               " (0: decoder input, " + std::to_string(count) +
                               ": after the final norm), or negative from the end");
        }
        resolved.push_back(layer < 0 ? layer + count + 1 : layer);
    }
    return resolved;
}

Session::Session() = default;
Session::~Session() = default;

Model& Session::model() {
    return *impl_->model;
}
const Processor& Session::processor() const {
    return *impl_->processor;
}
const Snapshot& Session::snapshot() const {
    return impl_->snapshot;
}
const LoadOptions& Session::options() const {
    return impl_->options;
}
c10::Device Session::device() const {
    return impl_->device;
}
std::string Session::device_name() const {
    return impl_->device.str();
}
Family Session::family() const {
    return impl_->snapshot.family;
}
std::int64_t Session::context_length() const {
    return impl_->model->context_length();
}

PreparedBatch Session::prepare(const std::vector<Request>& requests, const CallOptions& options) {
    return impl_->exclusively(false, [&] {
        return prepare_requests(requests, *impl_->processor, family(), impl_->device, options);
    });
}

std::vector<AudioEmbedding> Session::extract_audio_embeddings(const PreparedBatch& batch,
                                                              const CallOptions& options) {
    return impl_->exclusively(options.grad, [&] {
        ForwardOptions forward;
        forward.stop = options.stop;
        forward.progress = options.progress;
        const AudioFeatures flat = impl_->model->encode_audio(batch.inputs, forward);
        std::vector<AudioEmbedding> embeddings(batch.slots.size());
        const auto& counts = batch.inputs.slot_lengths;
        const auto raw = split_sources(flat.raw, counts);
        const auto projected = split_sources(flat.projected, counts);
        for (std::size_t a = 0; a < embeddings.size(); ++a) {
            embeddings[a].sample_index = batch.slots[a].sample_index;
            embeddings[a].audio_index = batch.slots[a].audio_index;
            embeddings[a].raw = raw[a];
            embeddings[a].projected = projected[a];
        }
        for (std::size_t k = 0; k < flat.deepstack_raw.size(); ++k) {
            const auto stream_raw = split_sources(flat.deepstack_raw[k], counts);
            const auto stream_projected = split_sources(flat.deepstack_projected[k], counts);
            for (std::size_t a = 0; a < embeddings.size(); ++a) {
                embeddings[a].deepstack_raw.push_back(stream_raw[a]);
                embeddings[a].deepstack_projected.push_back(stream_projected[a]);
            }
        }
        return embeddings;
    });
}

std::vector<ContextualEmbedding> Session::extract_contextual_embeddings(
    const PreparedBatch& batch, const std::vector<std::int64_t>& layers,
    const CallOptions& options) {
    return impl_->exclusively(options.grad, [&] {
        ForwardOptions forward;
        forward.hidden_layers = impl_->resolve_layers(layers);
        forward.stop_after_hidden = true;
        forward.no_logits = true;
        forward.stop = options.stop;
        forward.progress = options.progress;
        // Only the audio rows of a layer are kept, one source after the other.
        forward.keep = [&batch](const at::Tensor& states) {
            std::vector<at::Tensor> rows;
            for (const AudioSlot& slot : batch.slots) {
                rows.push_back(rows_at(states, slot));
            }
            return rows.empty() ? states.new_empty({0, states.size(2)}) : at::cat(rows);
        };
        const ModelOutput output = impl_->model->forward(batch.inputs, forward);
        std::vector<ContextualEmbedding> embeddings(batch.slots.size());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto rows = split_sources(output.hidden_states[i], batch.inputs.slot_lengths);
            for (std::size_t a = 0; a < embeddings.size(); ++a) {
                embeddings[a][layers[i]] = rows[a];
            }
        }
        return embeddings;
    });
}

ModelOutput Session::forward(const PreparedBatch& batch, bool output_hidden_states,
                             const CallOptions& options) {
    ForwardOptions forward_options;
    if (output_hidden_states) {
        for (std::int64_t layer = 0; layer <= impl_->model->layer_count(); ++layer) {
            forward_options.hidden_layers.push_back(layer);
        }
    }
    return forward(batch, forward_options, options);
}

ModelOutput Session::forward(const PreparedBatch& batch, const ForwardOptions& forward,
                             const CallOptions& options) {
    return impl_->exclusively(options.grad, [&] {
        ForwardOptions effective = forward;
        effective.hidden_layers = impl_->resolve_layers(forward.hidden_layers);
        effective.stop = options.stop;
        effective.progress = options.progress;
        return impl_->model->forward(batch.inputs, effective);
    });
}

GenerateResult Session::generate(const std::vector<Request>& requests,
                                 const GenerateOptions& options) {
    CallOptions call;
    call.stop = options.stop;
    call.progress = options.progress;
    return generate(prepare(requests, call), options);
}

GenerateResult Session::generate(const PreparedBatch& batch, const GenerateOptions& options) {
    return impl_->exclusively(false, [&] {
        SamplingParameters parameters =
            options.parameters.value_or(sampling_parameters(options.profile, family()));
        parameters.max_new_tokens = options.max_new_tokens.value_or(parameters.max_new_tokens);
        return run_generation(*impl_->model, *impl_->processor, batch, parameters, options);
    });
}

std::shared_ptr<Session> load_model(const std::filesystem::path& snapshot,
                                    const LoadOptions& options) {
    check_dtype(options.dtype);
    const c10::Device device = resolve_device(options.device);
    auto impl = std::make_unique<Session::Impl>(open_snapshot(snapshot));
    impl->options = options;
    impl->device = device;
    try {
        FamilyParts parts = make_family(impl->snapshot, options);
        load_weights(*parts.model, impl->snapshot, parts.disk_name, parts.ignored, device, options);
        impl->model = std::move(parts.model);
        impl->processor = std::move(parts.processor);
    } catch (const std::bad_alloc&) {
        throw DeviceError("out of memory while loading " + impl->snapshot.folder.string());
    } catch (const c10::Error& error) {
        throw DeviceError("loading " + impl->snapshot.folder.string() +
                          " failed: " + first_line(error.what_without_backtrace()));
    }
    auto session = std::shared_ptr<Session>(new Session());
    session->impl_ = std::move(impl);
    return session;
}

std::vector<std::string> available_devices() {
    std::vector<std::string> devices{"cpu"};
    if (at::hasCUDA()) {
        const auto count = at::getNumGPUs();
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            devices.push_back("cuda:" + std::to_string(i));
        }
    }
    return devices;
}

std::string_view profile_name(Profile profile) {
    return profile == Profile::PaperReference ? "paper_reference" : "generic_sampled";
}

Profile parse_profile(std::string_view name) {
    for (const Profile profile : {Profile::PaperReference, Profile::GenericSampled}) {
        if (name == profile_name(profile)) {
            return profile;
        }
    }
    throw RequestError("profile '" + std::string(name) +
                       "' is not there; use paper_reference or generic_sampled");
}

SamplingParameters sampling_parameters(Profile profile, Family family) {
    SamplingParameters parameters;
    if (profile == Profile::GenericSampled) {
        const bool moss = family == Family::MossMusic;
        parameters.sample = true;
        parameters.temperature = moss ? 1.0 : 0.7;
        parameters.top_p = moss ? 0.8 : 0.9;
        parameters.top_k = 50;
    }
    return parameters;
}

std::string_view finish_name(Finish finish) {
    return finish == Finish::Eos ? "eos" : "length";
}

}  // namespace earscope
