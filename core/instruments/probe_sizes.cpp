#include "core/base/errors.h"
#include "core/instruments/probes.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace earscope {

namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::int64_t kWindowFrames = 3000;  // Music Flamingo, of a whole window
constexpr std::int64_t kWindowPositions = 1500;
constexpr std::int64_t kWindowTokens = 750;
constexpr std::int64_t kChunkFrames = 400;  // MOSS-Music
constexpr std::int64_t kChunksAtOnce = 64;
constexpr std::int64_t kMelBins = 128;
constexpr std::int64_t kIdBytes = 8;

bool ends(const std::string& name, std::string_view last) {
    const auto dot = name.rfind('.');
    return std::string_view(name).substr(dot == std::string::npos ? 0 : dot + 1) == last;
}

/// The path without its last part, "" at the top.
std::string above(const std::string& name) {
    return name.substr(0, std::min(name.rfind('.'), name.size()));
}

/// Shape of the first parameter of a module, empty where it has none of its own.
Shape weight_shape(Module& model, const std::string& name) {
    Module* const module = model.find(name);
    if (module == nullptr) {
        return {};
    }
    for (const ParameterSlot& slot : module->parameter_slots()) {
        if (above(slot.name) == name) {
            return slot.shape;
        }
    }
    return {};
}

/// What stands behind the positions in the output (or input) of a module: its width, or heads and
/// their width.
Shape row_shape(Model& model, const std::string& name, bool input, std::int64_t width) {
    const Shape weight = weight_shape(model, name);
    if (weight.size() == 2 && !ends(name, "embed_tokens")) {  // linear
        return {input ? weight[1] : weight[0]};
    }
    if (ends(name, "q_norm") || ends(name, "k_norm")) {
        const std::string projection = above(name) + (ends(name, "q_norm") ? ".q_proj" : ".k_proj");
        return {weight_shape(model, projection).at(0) / weight.at(0), weight.at(0)};
    }
    if (ends(name, "act_fn") || ends(name, "act") || ends(name, "activation_fn")) {
        const std::string layer = above(name);
        for (const char* const before : {".gate_proj", ".linear_1", ".fc1"}) {
            const Shape inner = weight_shape(model, layer + before);
            if (!inner.empty()) {
                return {inner[0]};
            }
        }
    }
    if (ends(name, "rotary_emb")) {
        return {model.head_dim()};
    }
    return {width};
}

Shape joined(Shape first, const Shape& last) {
    first.insert(first.end(), last.begin(), last.end());
    return first;
}

/// Music Flamingo's encoder and projector see whole windows when one of their parts is hooked.
Shape window_shape(Model& model, const std::string& name, bool input, std::int64_t windows) {
    const std::int64_t width = model.audio_width();
    if (ends(name, "conv1")) {
        return {windows, input ? kMelBins : width, kWindowFrames};
    }
    if (ends(name, "conv2")) {
        return {windows, width, input ? kWindowFrames : kWindowPositions};
    }
    if (ends(name, "avg_pooler")) {
        return {windows, width, input ? kWindowPositions : kWindowTokens};
    }
    if (ends(name, "audio_tower") && input) {
        return {windows, kMelBins, kWindowFrames};
    }
    const bool pooled = name.find("audio_tower") == std::string::npos ||
                        ends(name, "audio_tower") || ends(name, "avg_pooler") ||
                        (ends(name, "layer_norm") && ends(above(name), "audio_tower"));
    const std::int64_t inner =
        name.find("audio_tower") == std::string::npos && !input ? model.hidden_size() : width;
    return joined({windows, pooled ? kWindowTokens : kWindowPositions},
                  row_shape(model, name, input, inner));
}

/// MOSS-Music's encoder runs over groups of chunks, of which a probe keeps the last; the adapters
/// over all tokens.
Shape chunk_shape(Model& model, const std::string& name, bool input, std::int64_t tokens) {
    constexpr std::int64_t kTokens = kChunkFrames / 8;
    const std::int64_t chunks =
        std::min(kChunksAtOnce, (tokens + kTokens - 1) / std::max<std::int64_t>(kTokens, 1));
    const Shape weight = weight_shape(model, name);
    if (weight.size() == 4) {  // a convolution; each halves bands and frames
        const std::int64_t shift = ends(name, "conv1") ? 1 : ends(name, "conv2") ? 2 : 3;
        const std::int64_t part = std::int64_t{1} << (input ? shift - 1 : shift);
        return {chunks, input ? weight[1] : weight[0], kMelBins / part, kChunkFrames / part};
    }
    const bool encoder = name.find("audio_encoder.") != std::string::npos;
    const std::int64_t width =
        encoder || ends(name, "audio_encoder") || input ? model.audio_width() : model.hidden_size();
    return joined(encoder ? Shape{chunks, kTokens} : Shape{1, tokens},
                  row_shape(model, name, input, width));
}

Shape shape_of(Model& model, const Place& place, const ScopeRows& rows, const PreparedBatch& batch,
               std::int64_t new_tokens) {
    const std::string name = place.name.substr(0, place.name.find('#'));
    const std::int64_t requests = batch.inputs.input_ids.size(0);
    const std::int64_t width = batch.inputs.input_ids.size(1);
    if (in_language_model(name)) {
        const bool ids = place.input && ends(name, "embed_tokens");
        const Shape row = ids ? Shape{} : row_shape(model, name, place.input, model.hidden_size());
        if (rows.all()) {
            return joined({requests, width}, row);
        }
        return joined({rows.generated() ? requests * new_tokens : rows.prompt_rows()}, row);
    }
    if (name.empty() || ends(name, "model") || ends(name, "lm_head")) {
        const bool head = !ends(name, "model") || name.empty();
        return {requests, head ? 1 : width,
                head && !place.input ? model.vocab_size() : model.hidden_size()};
    }
    if (!batch.inputs.windows_per_source.empty()) {
        return window_shape(model, name, place.input, batch.inputs.mel.size(0));
    }
    const auto& counts = batch.inputs.slot_lengths;
    return chunk_shape(model, name, place.input,
                       std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

/// Modules that have run when the first decoder layer begins.
bool before_layers(const std::string& name) {
    if (in_language_model(name)) {
        return ends(name, "embed_tokens") || ends(name, "rotary_emb");
    }
    return name.find("audio") != std::string::npos ||
           name.starts_with("model.multi_modal_projector") || name.starts_with("model.pos_emb");
}

}  // namespace

std::vector<ProbeSize> probe_sizes(Model& model, std::span<const std::string> probes,
                                   const PreparedBatch& batch, std::int64_t new_tokens) {
    check_probes(model, probes);
    const auto element =
        static_cast<std::int64_t>(model.named_parameters().front().second.element_size());
    std::vector<ProbeSize> sizes;
    for (const std::string& text : probes) {
        const Target target = parse_target(text);
        const ScopeRows rows(target.scope, batch);
        for (const Place& place : find_places(model, target.pattern)) {
            ProbeSize size;
            size.name = target_text({place.name, target.scope});
            size.shape = shape_of(model, place, rows, batch, new_tokens);
            const bool ids = ends(place.name, "embed_tokens#in");
            size.bytes = std::accumulate(size.shape.begin(), size.shape.end(),
                                         ids ? kIdBytes : element, std::multiplies<>());
            const bool known = std::any_of(sizes.begin(), sizes.end(), [&](const auto& other) {
                return other.name == size.name;
            });
            if (!known) {
                sizes.push_back(std::move(size));
            }
        }
    }
    return sizes;
}

std::int64_t layers_needed(Model& model, std::span<const std::string> probes) {
    constexpr std::string_view kLayers = "language_model.layers.";
    std::int64_t needed = 0;
    for (const std::string& text : probes) {
        for (const Place& place : find_places(model, parse_target(text).pattern)) {
            const auto at = place.name.find(kLayers);
            if (at != std::string::npos) {
                const std::int64_t layer = std::stoll(place.name.substr(at + kLayers.size()));
                needed = std::max(needed, layer + 1);
            } else if (!before_layers(place.name.substr(0, place.name.find('#')))) {
                needed = model.layer_count() + 1;
            }
        }
    }
    return needed;
}

}  // namespace earscope
