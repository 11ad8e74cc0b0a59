#include "core/compare/record_run.h"

#include "core/base/utc_time.h"
#include "core/compare/digest.h"
#include "core/models/dtype_text.h"

#include <ATen/ATen.h>

#include <map>

namespace earscope {
namespace {

void add_session(RunRecord& run, const Session& session) {
    const LoadOptions& options = session.options();
    run.snapshot = session.snapshot().name;
    run.folder = session.snapshot().folder.string();
    run.family = family_name(session.family());
    run.device = session.device_name();
    run.dtype = dtype_text(options.dtype);
    run.attention = options.attention == Attention::Sdpa ? "sdpa" : "eager";
    if (session.family() == Family::MossMusic) {
        run.chunk_padding =
            options.chunk_padding == ChunkPadding::Reference ? "reference" : "independent";
    }
}

/// The row's ids without the padding in front of them.
std::vector<std::int64_t> row_ids(const PreparedBatch& batch, std::size_t request) {
    const at::Tensor row =
        batch.inputs.input_ids.select(0, static_cast<std::int64_t>(request)).cpu().contiguous();
    const std::int64_t* const end = row.const_data_ptr<std::int64_t>() + row.numel();
    return {end - batch.prompt_tokens.at(request), end};
}

std::string samples_digest(const at::Tensor& samples) {
    const at::Tensor plain = samples.cpu().to(at::kFloat).contiguous();
    Digest digest;
    digest.add(plain.const_data_ptr(), plain.nbytes());
    return digest.text();
}

void add_request(RunRecord& run, const PreparedBatch& batch, std::size_t request) {
    run.prompt = batch.prompts.at(request);
    run.input_ids = row_ids(batch, request);
    for (std::size_t a = 0; a < batch.slots.size(); ++a) {
        const AudioSlot& slot = batch.slots[a];
        if (slot.sample_index == static_cast<std::int64_t>(request)) {
            run.sources.push_back({slot.name, slot.token_count, slot.duration_seconds,
                                   samples_digest(batch.resampled.at(a))});
        }
    }
}

void add_parameters(RunRecord& run, const GenerateOptions& options, Family family) {
    const SamplingParameters parameters =
        options.parameters.value_or(sampling_parameters(options.profile, family));
    run.profile = profile_name(options.profile);
    run.profile += options.parameters ? " (changed)" : "";
    run.sample = parameters.sample;
    run.temperature = parameters.temperature;
    run.top_p = parameters.top_p;
    run.top_k = parameters.top_k;
    run.max_new_tokens = options.max_new_tokens.value_or(parameters.max_new_tokens);
    run.seed = options.seed;
}

std::vector<RunToken> run_tokens(const std::vector<std::int64_t>& ids, const Tokenizer& tokenizer) {
    std::map<std::int64_t, std::string> known;  // answers repeat themselves
    std::vector<RunToken> tokens;
    tokens.reserve(ids.size());
    for (const std::int64_t id : ids) {
        auto found = known.find(id);
        if (found == known.end()) {
            found = known.emplace(id, tokenizer.decode({id}, false)).first;
        }
        tokens.push_back({id, found->second});
    }
    return tokens;
}

}  // namespace

RunRecord record_run(const Session& session, const PreparedBatch& batch, std::size_t request,
                     const GenerateOptions& options, const GenerateResult& result,
                     const RunNotes& notes) {
    RunRecord run;
    run.weights_digest = notes.weights_digest;
    run.edits = notes.edits;
    add_session(run, session);
    add_request(run, batch, request);
    add_parameters(run, options, session.family());
    if (options.replace) {
        const std::int64_t id = options.replace->id;
        run.continued = {options.replace->index,
                         {id, session.processor().tokenizer.decode({id}, false)}};
    }
    run.text = result.texts.at(request);
    run.tokens = run_tokens(result.ids.at(request), session.processor().tokenizer);
    run.finish = finish_name(result.finish.at(request));
    run.batch_size = static_cast<std::int64_t>(result.texts.size());
    run.batch_index = static_cast<std::int64_t>(request);
    run.prompt_width = result.prompt_width;
    run.budget = result.budget;
    run.prefill_seconds = result.prefill_seconds;
    run.tokens_per_second = result.tokens_per_second;
    run.time_utc = utc_time();
    return run;
}

}  // namespace earscope
