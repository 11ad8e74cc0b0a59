#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"

namespace earscope::cli {

namespace {

using nlohmann::ordered_json;

ordered_json slot_json(const AudioSlot& slot, Family family) {
    ordered_json out{{"sample_index", slot.sample_index},
                     {"audio_index", slot.audio_index},
                     {"name", slot.name},
                     {"sample_rate", slot.sample_rate},
                     {"n_tokens", slot.token_count},
                     {"duration_s", slot.duration_seconds}};
    if (family == Family::MusicFlamingo) {
        out["windows"] = slot.windows;
        out["window_tokens"] = slot.window_tokens;
    } else {
        out["chunks"] = slot.chunks;
    }
    out["notices"] = slot.notices;
    return out;
}

}  // namespace

CommandResult run_prepare(Context& context) {
    const ModelRun run = start_model_run(context);
    Session& session = *run.session;
    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));

    ordered_json slots = ordered_json::array();
    for (const AudioSlot& slot : batch.slots) {
        slots.push_back(slot_json(slot, session.family()));
    }
    ordered_json out{{"prompt_with_markers", batch.prompt_with_markers},
                     {"expanded_prompt", batch.expanded_prompt},
                     {"slots", std::move(slots)},
                     {"prompt_tokens", batch.prompt_tokens},
                     {"context", session.context_length()}};
    if (context.options.out) {
        const auto tensors = prepared_tensors(batch);
        export_tensors(*context.options.out, tensors, make_manifest(session, batch), context.stop,
                       context.progress.callback());
        out.update(file_summary(*context.options.out, tensors));
    }
    return {json_text(out), device_note(session)};
}

}  // namespace earscope::cli
