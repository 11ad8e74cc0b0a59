#include "core/compare/column.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope {
namespace {

void move_to_cpu(std::vector<at::Tensor>& tensors) {
    for (at::Tensor& tensor : tensors) {
        tensor = tensor.cpu();
    }
}

void move_to_cpu(AudioEmbedding& embedding) {
    embedding.raw = embedding.raw.cpu();
    embedding.projected = embedding.projected.cpu();
    move_to_cpu(embedding.deepstack_raw);
    move_to_cpu(embedding.deepstack_projected);
}

/// What says which row is what, without the large inputs.
PreparedBatch without_audio(const PreparedBatch& batch) {
    PreparedBatch light;
    light.inputs.input_ids = batch.inputs.input_ids.cpu();
    light.inputs.attention_mask = batch.inputs.attention_mask.cpu();
    light.inputs.slot_lengths = batch.inputs.slot_lengths;
    light.inputs.windows_per_source = batch.inputs.windows_per_source;
    light.inputs.group_sizes = batch.inputs.group_sizes;
    light.slots = batch.slots;
    light.prompts = batch.prompts;
    light.prompt_with_markers = batch.prompt_with_markers;
    light.expanded_prompt = batch.expanded_prompt;
    light.prompt_tokens = batch.prompt_tokens;
    return light;
}

ColumnStates read_states(Session& session, const PreparedBatch& batch,
                         const ColumnOptions& options) {
    const CallOptions call{
        .grad = false, .stop = options.generate.stop, .progress = options.generate.progress};
    ColumnStates states;
    states.batch = without_audio(batch);
    if (batch.slots.empty()) {
        return states;
    }
    states.embeddings = session.extract_audio_embeddings(batch, call);
    for (AudioEmbedding& embedding : states.embeddings) {
        move_to_cpu(embedding);
    }
    if (!options.layers.empty()) {
        if (options.edits != nullptr) {
            options.edits->restart();  // layer 0 holds the embeddings above
        }
        states.layers = options.layers;
        states.hidden = session.extract_contextual_embeddings(batch, options.layers, call);
        for (ContextualEmbedding& source : states.hidden) {
            for (auto& [layer, rows] : source) {
                rows = rows.cpu();
            }
        }
    }
    return states;
}

}  // namespace

Column run_column(Session& session, const PreparedBatch& batch, const ColumnOptions& options) {
    Column column;
    const GenerateResult result = session.generate(batch, options.generate);
    for (std::size_t request = 0; request < batch.prompts.size(); ++request) {
        column.runs.push_back(
            record_run(session, batch, request, options.generate, result, options.notes));
    }
    if (options.states) {
        if (options.edits != nullptr) {
            options.edits->restart();  // the states are those of `extract`, not of a second call
        }
        column.states = read_states(session, batch, options);
    }
    return column;
}

std::vector<std::int64_t> layers_there(const std::vector<std::int64_t>& asked, std::int64_t count) {
    std::vector<std::int64_t> layers;
    for (const std::int64_t layer : asked) {
        const bool there = layer >= -(count + 1) && layer <= count;
        if (there && std::find(layers.begin(), layers.end(), layer) == layers.end()) {
            layers.push_back(layer);
        }
    }
    return layers;
}

}  // namespace earscope
