#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/base/atomic_file.h"
#include "core/compare/column.h"
#include "core/compare/comparison.h"
#include "core/compare/comparison_tensors.h"
#include "core/compare/weights_digest.h"
#include "core/models/sampler.h"
#include "core/snapshot/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace earscope::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What one column runs, decided before anything is loaded.
struct Plan {
    std::filesystem::path folder;
    std::string weights;
    GenerateOptions generate;
    std::vector<std::int64_t> layers;  ///< as asked
};

/// What is left of a column when its model is gone.
struct Result {
    Column column;
    nlohmann::json manifest;
    std::string device;
};

bool holds_tensors(const std::filesystem::path& file) {
    return file.extension() == ".safetensors" || file.extension() == ".npz";
}

bool wants_tensors(const Options& options) {
    return std::any_of(options.outs.begin(), options.outs.end(), holds_tensors);
}

/// Column A with what is given for B. If that is nothing at all, the other profile.
/// @throws UsageError  a change of sampling where B does not sample
GenerateOptions options_b(const Options& options, const GenerateOptions& a, Family family) {
    const ColumnChanges& changes = options.column_b;
    GenerateOptions b = a;
    const bool changed =
        options.snapshot_b.has_value() || changes.sampling() || changes.max_new_tokens;
    if (changes.profile) {
        b.profile = *changes.profile;
    } else if (!changed) {
        b.profile = a.profile == Profile::PaperReference ? Profile::GenericSampled
                                                         : Profile::PaperReference;
    }
    b.max_new_tokens = changes.max_new_tokens ? changes.max_new_tokens : a.max_new_tokens;
    b.seed = changes.seed.value_or(a.seed);
    SamplingParameters parameters = sampling_parameters(b.profile, family);
    if (changes.sampling() && !parameters.sample) {
        throw UsageError("column B has the profile " + std::string(profile_name(b.profile)) +
                         ", which does not sample, so that its temperature, top-p, top-k and seed "
                         "mean nothing; add --profile-b generic_sampled");
    }
    if (changes.temperature || changes.top_p || changes.top_k) {
        parameters.temperature = changes.temperature.value_or(parameters.temperature);
        parameters.top_p = changes.top_p.value_or(parameters.top_p);
        parameters.top_k = changes.top_k.value_or(parameters.top_k);
        try {
            check_sampling(parameters);
        } catch (const RequestError& error) {
            throw UsageError(std::string("column B: ") + error.what());
        }
        b.parameters = parameters;
    }
    return b;
}

std::int64_t layer_count(const Snapshot& snapshot) {
    return snapshot.family == Family::MossMusic ? parse_moss_music_config(snapshot).text.layers
                                                : parse_music_flamingo_config(snapshot).text.layers;
}

/// @throws RequestError  a layer that this snapshot does not have
std::vector<std::int64_t> plan_layers(const Options& options, const Snapshot& snapshot) {
    std::vector<std::int64_t> layers;
    if (!options.layers) {
        return layers;
    }
    const std::int64_t count = layer_count(snapshot);
    if (options.layers->all) {
        for (std::int64_t layer = 0; layer <= count; ++layer) {
            layers.push_back(layer);
        }
        return layers;
    }
    layers = layers_there(options.layers->layers, count);
    for (const std::int64_t asked : options.layers->layers) {
        if (std::find(layers.begin(), layers.end(), asked) == layers.end()) {
            throw RequestError("there is no layer " + std::to_string(asked) + " in " +
                               snapshot.name + ": it has 0 (decoder input) to " +
                               std::to_string(count) + ", or -1 to " + std::to_string(-count - 1) +
                               " from the end");
        }
    }
    return layers;
}

/// Looks at both snapshots without loading either, so that what must be refused is refused before
/// the first long run.
std::array<Plan, 2> make_plans(Context& context, const RequestFile& request) {
    const Options& options = context.options;
    const Snapshot a = open_snapshot(snapshot_folder(options.snapshot));
    const Snapshot b = options.snapshot_b ? open_snapshot(snapshot_folder(*options.snapshot_b)) : a;
    std::array<Plan, 2> plans;
    plans[0].folder = a.folder;
    plans[1].folder = b.folder;
    plans[0].generate = generate_options(context, request);
    plans[1].generate = options_b(options, plans[0].generate, b.family);
    plans[0].layers = plan_layers(options, a);
    plans[1].layers = plan_layers(options, b);
    std::tie(plans[0].weights, plans[1].weights) =
        weights_digests(a, b, context.stop, context.progress.callback());
    return plans;
}

/// Runs one column on a loaded model.
Result run_plan(Context& context, Session& session, const PreparedBatch& batch, const Plan& plan,
                bool states) {
    EditSet edits(session.model(), context.options.edits, batch);
    ColumnOptions options;
    options.edits = &edits;
    options.generate = plan.generate;
    options.notes.weights_digest = plan.weights;
    options.notes.edits = edit_texts(context.options.edits);
    options.states = states;
    options.layers = plan.layers;
    Result result;
    result.column = run_column(session, batch, options);
    nlohmann::json extra = instrument_manifest(context.options);
    extra["profile"] = result.column.runs.at(0).profile;
    result.manifest = make_manifest(session, batch, extra);
    result.device = device_note(session);
    return result;
}

/// Both columns, one after the other. With two snapshots the first model is gone before the second
/// is loaded: only values that refer to neither are kept.
std::array<Result, 2> run_plans(Context& context, const RequestFile& request,
                                const std::array<Plan, 2>& plans) {
    const bool states = wants_tensors(context.options);
    const bool same = std::filesystem::equivalent(plans[0].folder, plans[1].folder);
    const LoadOptions load = load_options(context, request);
    std::array<Result, 2> results;
    std::shared_ptr<Session> session;
    PreparedBatch batch;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (i == 0 || !same) {
            batch = {};
            session.reset();
            session = load_model(plans[i].folder, load);
            check_edits(session->model(), context.options.edits);
            batch = session->prepare(request.requests, call_options(context));
        }
        results[i] = run_plan(context, *session, batch, plans[i], states && (i == 0 || !same));
    }
    if (same) {
        results[1].column.states = results[0].column.states;  // no profile changes the prompt's
    }
    return results;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
    AtomicFile target(file);
    target.expect(text.size());
    target.write(text.data(), text.size());
    target.commit();
}

void check_outs(const Options& options, const RequestFile& request) {
    std::set<std::filesystem::path> seen;
    for (const auto& file : options.outs) {
        if (!seen.insert(file.lexically_normal()).second) {
            throw UsageError("--out " + file.string() + " is given twice");
        }
        check_writable(file);
    }
    const bool audio = std::any_of(request.requests.begin(), request.requests.end(),
                                   [](const Request& one) { return !one.audios.empty(); });
    if (wants_tensors(options) && !audio) {
        throw RequestError("compare: the request has no audio, so there is no embedding to store");
    }
}

/// The result as JSON and as Markdown, one comparison per request.
struct Texts {
    Json comparisons = Json::array();
    std::string markdown;
};

Texts compare_columns(const Column& a, const Column& b) {
    Texts texts;
    for (std::size_t i = 0; i < a.runs.size(); ++i) {
        const Comparison comparison = compare_runs(a.runs[i], b.runs[i]);
        texts.comparisons.push_back(Json::parse(comparison_json(a.runs[i], b.runs[i], comparison)));
        texts.markdown += i > 0 ? "\n---\n\n" : "";
        texts.markdown += comparison_markdown(a.runs[i], b.runs[i], comparison);
    }
    return texts;
}

}  // namespace

CommandResult run_compare(Context& context) {
    const Options& options = context.options;
    const RequestFile request = read_request(options);
    check_outs(options, request);
    const std::array<Plan, 2> plans = make_plans(context, request);
    const std::array<Result, 2> results = run_plans(context, request, plans);
    const Texts texts = compare_columns(results[0].column, results[1].column);

    Json out{{"comparisons", texts.comparisons}};
    Json files = Json::array();
    for (const auto& file : options.outs) {
        if (holds_tensors(file)) {
            const auto tensors =
                comparison_tensors(results[0].column.states, results[1].column.states);
            const nlohmann::json manifest{{"a", results[0].manifest},
                                          {"b", results[1].manifest},
                                          {"difference", "a minus b in float32"}};
            export_tensors(file, tensors, manifest, context.stop, context.progress.callback());
            files.push_back(file_summary(file, tensors));
        } else {
            write_text(file, file.extension() == ".md" ? texts.markdown : json_text(out));
            files.push_back({{"file", file.string()}});
        }
    }
    if (!files.empty()) {
        out["files"] = std::move(files);
    }
    return {json_text(out), results[1].device};
}

}  // namespace earscope::cli
