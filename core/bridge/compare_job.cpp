#include "core/bridge/compare_job.h"

#include "core/bridge/failure.h"
#include "core/bridge/instrument_jobs.h"
#include "core/bridge/value_conversion.h"
#include "core/compare/column.h"
#include "core/compare/weights_digest.h"
#include "core/models/sampler.h"

#include <array>
#include <optional>

namespace earscope {
namespace {

/// The one place for a model, and whose it was before.
class ModelSeat {
public:
    explicit ModelSeat(const CompareTools& tools) : tools_(&tools) {
        if (tools.session) {
            home_ = tools.session->snapshot().folder;
            options_ = tools.session->options();
        } else {
            options_ = toLoadOptions({});
        }
    }

    /// Folder with config.json that a column asks for.
    /// @throws RequestError  the open model, where none is open; SnapshotError
    std::filesystem::path folderOf(const RunSpec& spec) const {
        if (!spec.folder.isEmpty()) {
            return resolve_snapshot(toSnapshotFolder(spec.folder));
        }
        if (!home_) {
            throw RequestError("no model is loaded; open a snapshot first");
        }
        return *home_;
    }

    /// The model of a folder: the one that is there, or another one in its place.
    Session& seat(const std::filesystem::path& folder) {
        std::shared_ptr<Session>& session = tools_->session;
        if (!session || !isSame(session->snapshot().folder, folder)) {
            session.reset();
            load(folder, tools_->stop);
        }
        return *session;
    }

    /// Opens the model of before again where another one took its place.
    void goHome() {
        std::shared_ptr<Session>& session = tools_->session;
        if (!home_) {
            session.reset();
        } else if (!session || !isSame(session->snapshot().folder, *home_)) {
            session.reset();
            load(*home_, tools_->closing);
        }
    }

private:
    static bool isSame(const std::filesystem::path& one, const std::filesystem::path& other) {
        return std::filesystem::weakly_canonical(one) == std::filesystem::weakly_canonical(other);
    }

    void load(const std::filesystem::path& folder, const std::stop_token& stop) {
        LoadOptions options = options_;
        options.stop = stop;
        options.progress = tools_->progress;
        tools_->session = load_model(folder, options);
        tools_->weights = weights_digest(tools_->session->snapshot());
    }

    const CompareTools* tools_;
    std::optional<std::filesystem::path> home_;
    LoadOptions options_;
};

GenerateOptions generateOptions(const RunSpec& spec, const CompareTools& tools) {
    GenerateOptions options;
    options.profile = parse_profile(spec.profile.toStdString());
    options.max_new_tokens = spec.maxNewTokens;
    options.seed = spec.seed;
    options.stop = tools.stop;
    options.progress = tools.progress;
    if (spec.changed) {
        SamplingParameters parameters;
        parameters.sample = spec.changed->sample;
        parameters.temperature = spec.changed->temperature;
        parameters.top_p = spec.changed->topP;
        parameters.top_k = spec.changed->topK;
        check_sampling(parameters);
        options.parameters = parameters;
    }
    return options;
}

RunStates toRunStates(const ColumnStates& states, const RequestValue& request) {
    RunStates value;
    value.sources = toEmbeddingsValue(states.embeddings, states.batch, request).sources;
    value.layers.assign(states.layers.begin(), states.layers.end());
    for (const ContextualEmbedding& source : states.hidden) {
        std::vector<TensorValue>& rows = value.hidden.emplace_back();
        for (const std::int64_t layer : states.layers) {
            rows.push_back(toTensorValue(source.at(layer)));
        }
    }
    return value;
}

/// Runs the columns in order and remembers what both can share.
class Comparing {
public:
    Comparing(const CompareJob& job, const CompareTools& tools, ModelSeat& seat)
        : job_(&job), tools_(&tools), seat_(&seat) {
        folders_ = {seat.folderOf(job.a), seat.folderOf(job.b)};
        options_ = {generateOptions(job.a, tools), generateOptions(job.b, tools)};
        edits_ = {toEdits(job.a.edits), toEdits(job.b.edits)};
        // Opened here and closed again: a folder that is refused must not cost the open model.
        const Snapshot a = open_snapshot(folders_[0]);
        same_ = std::filesystem::equivalent(folders_[0], folders_[1]);
        if (same_) {
            weights_ = {weights_digest(a), weights_digest(a)};
        } else {
            const auto [digestA, digestB] =
                weights_digests(a, open_snapshot(folders_[1]), tools.stop, tools.progress);
            weights_ = {digestA, digestB};
        }
    }

    ComparedValue run() {
        ComparedValue value;
        value.id = job_->id;
        value.a = column(0, value.statesA);
        value.b = column(1, value.statesB);
        if (sameStates()) {
            value.statesB = value.statesA;
        }
        return value;
    }

private:
    /// States are of the prompt alone, which no profile changes.
    bool sameStates() const { return same_ && job_->a.edits == job_->b.edits; }

    RunPointer column(std::size_t index, RunStates& states) {
        Session& session = seat_->seat(folders_.at(index));
        check_edits(session.model(), edits_.at(index));
        if (index == 0 || !same_) {
            const CallOptions reading{
                .grad = false, .stop = tools_->stop, .progress = tools_->progress};
            batch_ = session.prepare({toRequest(job_->request)}, reading);
        }
        ColumnOptions options;
        options.generate = options_.at(index);
        options.notes.weights_digest = weights_.at(index);
        options.notes.edits = edit_texts(edits_.at(index));
        EditSet in_force(session.model(), edits_.at(index), batch_);
        options.edits = &in_force;
        options.states = job_->states && (index == 0 || !sameStates());
        options.layers =
            layers_there({job_->layers.begin(), job_->layers.end()}, session.model().layer_count());
        Column column = run_column(session, batch_, options);
        if (options.states) {
            states = toRunStates(column.states, job_->request);
        }
        return std::make_shared<const RunRecord>(std::move(column.runs.at(0)));
    }

    const CompareJob* job_;
    const CompareTools* tools_;
    ModelSeat* seat_;
    std::array<std::filesystem::path, 2> folders_;
    std::array<GenerateOptions, 2> options_;
    std::array<std::vector<Edit>, 2> edits_;
    std::array<std::string, 2> weights_;
    bool same_ = false;
    PreparedBatch batch_;
};

}  // namespace

ComparedValue runCompare(const CompareJob& job, const CompareTools& tools) {
    ModelSeat seat(tools);
    // nothrow up to the caller's own ending: a model that does not come back is told, not thrown.
    const auto goHome = [&]() -> QString {
        try {
            seat.goHome();
            return {};
        } catch (...) {
            tools.session.reset();
            tools.lost();
            return describeFailure(std::current_exception()).message;
        }
    };
    ComparedValue value;
    try {
        value = Comparing(job, tools, seat).run();
    } catch (...) {
        goHome();
        throw;
    }
    value.modelLost = goHome();
    return value;
}

}  // namespace earscope
