#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/answer.h"
#include "core/instruments/saliency.h"

namespace earscope::cli {

namespace {

nlohmann::ordered_json saliency_json(const Session& session, const SaliencyOptions& options,
                                     const SaliencyResult& result) {
    nlohmann::ordered_json out{{"token", options.token},
                               {"id", result.id},
                               {"text", token_text(session.processor(), result.id)},
                               {"method", saliency_method_text(options.method)},
                               {"logprob", result.logprob}};
    if (result.logprob_silence) {
        out["logprob_silence"] = *result.logprob_silence;
    }
    out["sum"] = result.sum;
    out["share"] = result.share;
    return out;
}

}  // namespace

CommandResult run_saliency(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    if (run.request.requests.size() != 1) {
        throw RequestError("saliency is computed for one request at a time, there are " +
                           std::to_string(run.request.requests.size()));
    }
    Session& session = *run.session;
    check_instruments(session, options);

    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));
    const SaliencyOptions wanted{options.token, options.method,
                                 generate_options(context, run.request)};
    const SaliencyResult result = saliency(session, batch, wanted, options.edits);
    nlohmann::ordered_json out = saliency_json(session, wanted, result);
    if (options.out) {
        std::vector<NamedTensor> tensors = position_tensors(batch);
        tensors.push_back({"saliency.mel", result.mel});
        nlohmann::json manifest = instrument_manifest(options);
        manifest["profile"] = profile_name(wanted.generate.profile);
        manifest["saliency"] = out;
        export_tensors(*options.out, tensors, make_manifest(session, batch, manifest), context.stop,
                       context.progress.callback());
        out.update(file_summary(*options.out, tensors));
    }
    return {json_text(out), device_note(session)};
}

}  // namespace earscope::cli
