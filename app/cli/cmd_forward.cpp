#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/probes.h"

namespace earscope::cli {

namespace {

/// loss and grad.NAME
std::vector<NamedTensor> gradient_tensors(Session& session, const PreparedBatch& batch,
                                          const GradientSelection& selection,
                                          const CallOptions& call) {
    const Gradients gradients =
        compute_gradients(session, batch, selection.loss, selection.names, call);
    std::vector<NamedTensor> tensors{{"loss", gradients.loss}};
    for (const auto& [name, gradient] : gradients.by_name) {
        tensors.push_back({"grad." + name, gradient});
    }
    return tensors;
}

/// logits or full_logits, hidden.l, probe.MODULE
std::vector<NamedTensor> output_tensors(Session& session, const PreparedBatch& batch,
                                        const Options& options,
                                        const std::vector<AskedLayer>& layers,
                                        const CallOptions& call) {
    const ProbeSet probes(session.model(), options.probes, batch);
    ForwardOptions forward;
    forward.full_logits = options.full_logits;
    for (const AskedLayer& layer : layers) {
        forward.hidden_layers.push_back(layer.layer);
    }
    const ModelOutput output = session.forward(batch, forward, call);
    std::vector<NamedTensor> tensors{
        {options.full_logits ? "full_logits" : "logits", output.logits}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        tensors.push_back(
            {"hidden." + std::to_string(layers[i].asked), output.hidden_states.at(i)});
    }
    append(tensors, probe_tensors(probes.captured()));
    return tensors;
}

}  // namespace

CommandResult run_forward(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    check_instruments(session, options);
    const std::vector<AskedLayer> layers =
        options.layers ? asked_layers(*options.layers, session.model()) : std::vector<AskedLayer>{};

    const CallOptions call = call_options(context);
    const PreparedBatch batch = session.prepare(run.request.requests, call);
    EditSet edits(session.model(), options.edits, batch);
    // A probe's source is refused before anything is run.
    static_cast<void>(ProbeSet(session.model(), options.probes, batch));
    tell_probe_sizes(context, session, batch);
    std::vector<NamedTensor> tensors = position_tensors(batch);
    if (options.gradients) {
        append(tensors, gradient_tensors(session, batch, *options.gradients, call));
        edits.restart();
    }
    append(tensors, output_tensors(session, batch, options, layers, call));

    export_tensors(*options.out, tensors,
                   make_manifest(session, batch, instrument_manifest(options)), context.stop,
                   context.progress.callback());
    return {json_text(file_summary(*options.out, tensors)), device_note(session)};
}

}  // namespace earscope::cli
