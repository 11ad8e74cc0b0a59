#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/result_tensors.h"

namespace earscope::cli {

CommandResult run_attention(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    check_instruments(session, options);
    const std::vector<AskedLayer> layers =
        asked_decoder_layers(options.layers.value_or(LayerSelection{true, {}}), session.model());

    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));
    AttentionOptions attention;
    attention.heads = options.heads;
    attention.rows = options.rows;
    attention.generate = generate_options(context, run.request);
    for (const AskedLayer& layer : layers) {
        attention.layers.push_back(layer.layer);
    }
    const AttentionResult result = attention_maps(session, batch, attention, options.edits);
    std::vector<NamedTensor> tensors = position_tensors(batch);
    append(tensors, attention_tensors(result, batch.slots, asked_numbers(layers)));

    nlohmann::json manifest = instrument_manifest(options);
    manifest["profile"] = profile_name(attention.generate.profile);
    manifest["heads"] = options.heads;  // empty: all
    if (options.rows) {
        manifest["rows"] = {options.rows->first, options.rows->end};
    }
    export_tensors(*options.out, tensors, make_manifest(session, batch, manifest), context.stop,
                   context.progress.callback());
    nlohmann::ordered_json out{{"profile", profile_name(attention.generate.profile)},
                               {"texts", result.answer.texts},
                               {"finish", finish_names(result.answer)}};
    out.update(file_summary(*options.out, tensors));
    return {json_text(out), device_note(session)};
}

}  // namespace earscope::cli
