#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/answer.h"
#include "core/instruments/result_tensors.h"
#include "core/instruments/saliency_cost.h"

#include <array>
#include <cstdio>

namespace earscope::cli {

namespace {

/// What the measurement before the run may take.
constexpr double kMeasured = 2;
constexpr std::int64_t kMeasuredBytes = std::int64_t{1} << 30;
constexpr double kLongSeconds = 60;

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

std::string seconds_text(double seconds) {
    std::array<char, 48> text{};
    if (seconds < 10) {
        std::snprintf(text.data(), text.size(), "%.2g s", seconds);
    } else if (seconds < 180) {
        std::snprintf(text.data(), text.size(), "%.0f s", seconds);
    } else {
        std::snprintf(text.data(), text.size(), "%.0f min", seconds / 60);
    }
    return text.data();
}

/// One line before it begins, measured on a pass of this very request; longer than some seconds it
/// is cut off and carried on.
void tell_cost(Context& context, Session& session, const PreparedBatch& batch) {
    CallOptions quiet;
    quiet.stop = context.stop;
    const SaliencyCost cost = saliency_cost(
        measure_pass(session, batch, kMeasured, kMeasuredBytes, quiet), context.options.method);
    double seconds = 0;
    for (const AudioSlot& slot : batch.slots) {
        seconds += slot.duration_seconds;
    }
    std::string line = "saliency: " + std::to_string(cost.passes) +
                       (cost.passes == 1 ? " pass" : " passes") + ", about " +
                       seconds_text(cost.seconds) + ", " + byte_text(cost.bytes);
    if (seconds > kLongSeconds) {
        line += "; " + seconds_text(seconds) +
                " of sound is long for this: shorter sources or the plain gradient cost less";
    }
    context.tell(line);
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
    SaliencyOptions wanted{options.token, options.method, generate_options(context, run.request)};
    wanted.before_passes = [&] { tell_cost(context, session, batch); };
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
