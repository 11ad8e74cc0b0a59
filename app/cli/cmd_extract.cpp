#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/probes.h"

namespace earscope::cli {

CommandResult run_extract(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    check_instruments(session, options);
    std::vector<std::int64_t> layers;
    if (options.layers) {
        for (const AskedLayer& layer : asked_layers(*options.layers, session.model())) {
            layers.push_back(layer.asked);
        }
    }

    const CallOptions call = call_options(context);
    const PreparedBatch batch = session.prepare(run.request.requests, call);
    if (batch.slots.empty()) {
        throw RequestError("extract: the request has no audio, so there is no embedding to store");
    }
    EditSet edits(session.model(), options.edits, batch);
    const ProbeSet probes(session.model(), options.probes, batch);
    tell_probe_sizes(context, session, batch);
    std::vector<NamedTensor> tensors = position_tensors(batch);
    append(tensors, embedding_tensors(session.extract_audio_embeddings(batch, call)));
    if (!layers.empty()) {
        edits.restart();  // layer 0 holds the embeddings above, also under noise
        append(tensors,
               contextual_tensors(session.extract_contextual_embeddings(batch, layers, call)));
    }
    append(tensors, probe_tensors(probes.captured()));

    export_tensors(*options.out, tensors,
                   make_manifest(session, batch, instrument_manifest(options)), context.stop,
                   context.progress.callback());
    return {json_text(file_summary(*options.out, tensors)), device_note(session)};
}

}  // namespace earscope::cli
