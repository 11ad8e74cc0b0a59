#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "app/cli/stream_printer.h"
#include "core/models/dtype_text.h"

#include <optional>
#include <sstream>

namespace earscope::cli {

namespace {

std::string stream_note(const Session& session, const GenerateResult& result) {
    std::ostringstream note;
    std::size_t tokens = 0;
    for (const auto& ids : result.ids) {
        tokens += ids.size();
    }
    note.precision(4);
    note << device_note(session) << ", " << tokens << " tokens, " << result.tokens_per_second
         << " tokens/s, finish";
    for (const std::string& name : finish_names(result)) {
        note << " " << name;
    }
    return note.str();
}

}  // namespace

CommandResult run_generate(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    check_instruments(session, options);

    GenerateOptions generate = generate_options(context, run.request);
    std::optional<StreamPrinter> printer;
    if (options.stream) {
        printer.emplace(run.request.requests.size(), session.processor().eos_token_ids,
                        [&](std::string_view text) {
                            context.progress.silence();
                            context.write_now(text);
                        });
        generate.on_token = [&](const StreamEvent& event) { printer->add(event); };
    }
    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));
    const EditSet edits(session.model(), options.edits, batch);
    const GenerateResult result = session.generate(batch, generate);
    if (printer) {
        printer->finish();
        return {{}, stream_note(session, result)};
    }
    const nlohmann::ordered_json out{{"profile", profile_name(generate.profile)},
                                     {"texts", result.texts},
                                     {"generated_ids", result.ids},
                                     {"finish", finish_names(result)},
                                     {"tokens_per_second", result.tokens_per_second},
                                     {"prompt_width", result.prompt_width},
                                     {"budget", result.budget},
                                     {"device", session.device_name()},
                                     {"dtype", dtype_text(session.options().dtype)}};
    return {json_text(out), device_note(session)};
}

}  // namespace earscope::cli
