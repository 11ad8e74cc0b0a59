#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/answer.h"
#include "core/instruments/result_tensors.h"

namespace earscope::cli {

namespace {

/// [{"id","text","logprob"},...] of one position
nlohmann::ordered_json choices_json(const Processor& processor, const TopChoices& choices,
                                    std::int64_t row) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const std::int64_t count = choices.ids.size(1);
    const std::int64_t* const ids = choices.ids.const_data_ptr<std::int64_t>() + row * count;
    const float* const logprobs = choices.logprobs.const_data_ptr<float>() + row * count;
    for (std::int64_t k = 0; k < count; ++k) {
        list.push_back(
            {{"id", ids[k]}, {"text", token_text(processor, ids[k])}, {"logprob", logprobs[k]}});
    }
    return list;
}

/// What is printed where there is no file: every position with its place in its source, and what
/// each layer says there.
nlohmann::ordered_json lens_json(const Session& session, const PreparedBatch& batch,
                                 const LensResult& result, const std::vector<AskedLayer>& layers) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, float>> heard;
    for (std::size_t a = 0; a < batch.slots.size(); ++a) {
        const AudioSlot& slot = batch.slots[a];
        const std::int64_t* const places = slot.token_positions.const_data_ptr<std::int64_t>();
        const float* const seconds = slot.time_s.const_data_ptr<float>();
        for (std::int64_t u = 0; u < slot.token_count; ++u) {
            heard[{slot.sample_index, places[u]}] = {static_cast<std::int64_t>(a), seconds[u]};
        }
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const at::Tensor positions = result.positions.contiguous();
    const std::int64_t* const pairs = positions.const_data_ptr<std::int64_t>();
    for (std::int64_t n = 0; n < positions.size(0); ++n) {
        nlohmann::ordered_json entry{{"request", pairs[2 * n]}, {"position", pairs[2 * n + 1]}};
        if (const auto at = heard.find({pairs[2 * n], pairs[2 * n + 1]}); at != heard.end()) {
            entry["source"] = at->second.first;
            entry["time_s"] = at->second.second;
        }
        for (std::size_t i = 0; i < layers.size(); ++i) {
            entry["layers"][std::to_string(layers[i].asked)] =
                choices_json(session.processor(), result.choices[i], n);
        }
        list.push_back(std::move(entry));
    }
    return {{"positions", std::move(list)}};
}

}  // namespace

CommandResult run_lens(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    check_instruments(session, options);
    check_top_k(options.top_k, session.model().vocab_size());
    const std::vector<AskedLayer> layers =
        asked_layers(options.layers.value_or(LayerSelection{true, {}}), session.model());

    const CallOptions call = call_options(context);
    const PreparedBatch batch = session.prepare(run.request.requests, call);
    LensOptions lens;
    lens.positions = options.positions;
    lens.top_k = options.top_k;
    for (const AskedLayer& layer : layers) {
        lens.layers.push_back(layer.layer);
    }
    const LensResult result = logit_lens(session, batch, lens, options.edits, call);
    if (!options.out) {
        return {json_text(lens_json(session, batch, result, layers)), device_note(session)};
    }
    std::vector<NamedTensor> tensors = position_tensors(batch);
    append(tensors, lens_tensors(result, asked_numbers(layers)));
    export_tensors(*options.out, tensors,
                   make_manifest(session, batch, instrument_manifest(options)), context.stop,
                   context.progress.callback());
    return {json_text(file_summary(*options.out, tensors)), device_note(session)};
}

}  // namespace earscope::cli
