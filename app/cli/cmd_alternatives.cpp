#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/result_tensors.h"
#include "core/instruments/top_choices.h"

namespace earscope::cli {

CommandResult run_alternatives(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    if (options.continue_with && run.request.requests.size() != 1) {
        throw RequestError(
            "--continue-with: an answer is continued for one request at a time, "
            "there are " +
            std::to_string(run.request.requests.size()));
    }
    Session& session = *run.session;
    check_instruments(session, options);
    check_top_k(options.top_k, session.model().vocab_size());

    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));
    GenerateOptions generate = generate_options(context, run.request);
    generate.replace = options.continue_with;
    const AlternativesResult result =
        token_alternatives(session, batch, options.top_k, generate, options.edits);
    return {json_text(alternatives_json(session.processor(), generate.profile, result)),
            device_note(session)};
}

}  // namespace earscope::cli
