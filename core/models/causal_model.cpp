#include "core/models/causal_model.h"

#include <ATen/ATen.h>

namespace earscope {

at::Tensor audio_places(const ModelInputs& inputs, std::int64_t audio_token_id) {
    at::Tensor places = inputs.input_ids == audio_token_id;
    const std::int64_t width = inputs.input_ids.size(1);
    if (inputs.prompt_width > 0 && inputs.prompt_width < width) {
        places.narrow(1, inputs.prompt_width, width - inputs.prompt_width).fill_(false);
    }
    return places;
}

CausalModel::CausalModel(std::string class_name, const DecoderConfig& text)
    : Model(std::move(class_name)),
      lm_head_(text.hidden_size, text.vocab_size, false),
      text_(text) {}

ModelOutput CausalModel::run_model(const ModelInputs& inputs, KvCache* cache,
                                   const ForwardOptions& options) {
    ModelOutput output;
    ForwardOptions effective = options;
    first_position_ = cache != nullptr ? cache->length() : 0;
    if (decoder_hooked() || hook_count() > 0 || lm_head_.hook_count() > 0) {
        effective.stop_after_hidden = false;  // a hook further up must still run
        effective.no_logits = false;
    }
    output.logits = run(inputs.input_ids, [&](const at::Tensor& ids) {
        ModelInputs seen = inputs;
        seen.input_ids = ids;
        const at::Tensor states = run_decoder(seen, cache, effective, output.hidden_states);
        if (effective.no_logits || !states.defined()) {
            return at::Tensor();
        }
        return lm_head_.forward(effective.full_logits ? states
                                                      : states.narrow(1, states.size(1) - 1, 1));
    });
    return output;
}

at::Tensor CausalModel::read_out(const at::Tensor& states, bool normalised) {
    return lm_head_.apply(normalised ? states : decoder().normalised(states));
}

ModelOutput CausalModel::forward(const ModelInputs& inputs, const ForwardOptions& options) {
    return run_model(inputs, nullptr, options);
}

at::Tensor CausalModel::prefill(const ModelInputs& inputs, KvCache& cache,
                                const ForwardOptions& options) {
    return run_model(inputs, &cache, options).logits;
}

at::Tensor CausalModel::decode_step(const at::Tensor& ids, KvCache& cache,
                                    const ForwardOptions& options) {
    ModelInputs step;
    step.input_ids = ids.unsqueeze(1);
    return run_model(step, &cache, options).logits;
}

}  // namespace earscope
