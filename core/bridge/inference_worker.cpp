#include "core/bridge/inference_worker.h"

#include "core/bridge/compare_job.h"
#include "core/bridge/failure.h"
#include "core/bridge/instrument_export.h"
#include "core/bridge/instrument_jobs.h"
#include "core/bridge/mailbox.h"
#include "core/bridge/self_check_job.h"
#include "core/bridge/value_conversion.h"
#include "core/compare/record_run.h"
#include "core/compare/weights_digest.h"
#include "core/export/tensor_export.h"

#include <ATen/ATen.h>
#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <map>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace earscope {
namespace {

/// Steps of niceness between the window's thread and the computing one.
constexpr int kNiceSteps = 5;

bool isSame(const RequestValue& one, const RequestValue& other) {
    return one.prompt == other.prompt && one.audioPaths == other.audioPaths;
}

/// Frees the device: the numbers stay as they are.
void moveToCpu(AudioEmbedding& embedding) {
    embedding.raw = embedding.raw.cpu();
    embedding.projected = embedding.projected.cpu();
    for (auto* streams : {&embedding.deepstack_raw, &embedding.deepstack_projected}) {
        for (at::Tensor& stream : *streams) {
            stream = stream.cpu();
        }
    }
}

/// Tells the mailbox of each piece of text and how fast they come.
class StreamMeter {
public:
    StreamMeter(Mailbox& mailbox, JobId id) : mailbox_(&mailbox), id_(id) {}

    void operator()(const StreamEvent& event) {
        const auto now = std::chrono::steady_clock::now();
        if (event.tokens_done <= 1) {
            first_ = now;  // the prefill before it does not count
        }
        const double seconds = std::chrono::duration<double>(now - first_).count();
        const double rate =
            seconds > 0 ? static_cast<double>(event.tokens_done - 1) / seconds : 0.0;
        mailbox_->putText(id_, event.text, static_cast<int>(event.tokens_done), rate);
    }

private:
    Mailbox* mailbox_;
    JobId id_;
    std::chrono::steady_clock::time_point first_ = std::chrono::steady_clock::now();
};

}  // namespace

/// What is kept between jobs. Batch, embeddings and answer belong to `request`.
struct InferenceWorker::State {
    std::shared_ptr<Session> session;
    std::string weights;  ///< digest of the session's
    bool has_batch = false;
    RequestValue request;
    PreparedBatch batch;
    std::optional<std::vector<AudioEmbedding>> embeddings;
    QStringList embeddings_edits;                      ///< in force when these were made
    nlohmann::json answer = nlohmann::json::object();  ///< manifest members of the last answer
    QStringList answer_edits;
    std::map<Instrument, KeptResult> kept;  ///< the last result of each, of any request

    Session& model() const {
        if (!session) {
            throw RequestError("no model is loaded; open a snapshot first");
        }
        return *session;
    }

    void forget() {
        has_batch = false;
        request = {};
        batch = {};
        embeddings.reset();
        embeddings_edits.clear();
        answer = nlohmann::json::object();
        answer_edits.clear();
    }

    const PreparedBatch& prepare(const RequestValue& wanted, const CallOptions& options) {
        Session& current = model();
        forget();
        batch = current.prepare({toRequest(wanted)}, options);
        request = wanted;
        has_batch = true;
        return batch;
    }

    /// The samples that were prepared are used, whatever happened to the file since.
    const PreparedBatch& batchOf(const RequestValue& wanted, const CallOptions& options) {
        if (session && has_batch && isSame(request, wanted)) {
            return batch;
        }
        return prepare(wanted, options);
    }

    const std::vector<AudioEmbedding>& embeddingsOf(const RequestValue& wanted,
                                                    const QStringList& edits,
                                                    const CallOptions& options) {
        const PreparedBatch& prepared = batchOf(wanted, options);
        const std::vector<Edit> parsed = toEdits(edits);
        // A saved tensor's file may have become another one since.
        const bool lasting = std::none_of(parsed.begin(), parsed.end(), [](const Edit& edit) {
            return edit.operation == EditOperation::From;
        });
        if (!embeddings || embeddings_edits != edits || !lasting) {
            embeddings.reset();
            const EditSet in_force(model().model(), parsed, prepared);
            auto made = model().extract_audio_embeddings(prepared, options);
            std::for_each(made.begin(), made.end(), moveToCpu);
            embeddings = std::move(made);
            embeddings_edits = edits;
        }
        return *embeddings;
    }

    /// What a file tells beside the request: the last answer, if it came about under these edits,
    /// and the edits themselves, if something in the file was computed.
    nlohmann::json manifest(const QStringList& edits, bool computed) const {
        nlohmann::json members = nlohmann::json::object();
        if (answer_edits == edits) {
            members = answer;
        }
        if (computed && !edits.isEmpty()) {
            members["edits"] = edit_texts(toEdits(edits));
        }
        return members;
    }
};

InferenceWorker::InferenceWorker(std::shared_ptr<Mailbox> mailbox)
    : mailbox_(std::move(mailbox)), state_(std::make_unique<State>()) {}

InferenceWorker::~InferenceWorker() = default;

void InferenceWorker::lowerPriority() {
    // Linux keeps niceness per thread; raising it needs no right and failing harms nobody.
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    const int now = ::getpriority(PRIO_PROCESS, thread);
    ::setpriority(PRIO_PROCESS, thread, now + kNiceSteps);
}

template <typename Work>
void InferenceWorker::guarded(JobId id, const std::stop_token& stop, Work&& work) {
    runGuarded(
        stop, std::forward<Work>(work),
        [this, id](const Failure& failure) { Q_EMIT failed(id, failure); },
        [this, id] { Q_EMIT cancelled(id); });
}

ProgressCallback InferenceWorker::progressOf(JobId id) const {
    return
        [mailbox = mailbox_, id](const Progress& progress) { mailbox->putProgress(id, progress); };
}

void InferenceWorker::load(const LoadJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        LoadOptions options = toLoadOptions(job);
        options.stop = stop;
        options.progress = progressOf(job.id);
        const auto folder = toSnapshotFolder(job.folder);
        const bool had = state_->session != nullptr;
        if (had) {
            open_snapshot(folder);  // a typing error must not cost the model that is there
        }
        state_->forget();
        state_->kept.clear();
        state_->session.reset();
        try {
            state_->session = load_model(folder, options);
            state_->weights = weights_digest(state_->session->snapshot());
            Q_EMIT loaded([&] {
                ModelValue value = toModelValue(*state_->session);
                value.id = job.id;
                return value;
            }());
        } catch (...) {
            state_->session.reset();
            if (had) {
                Q_EMIT modelLost();
            }
            throw;
        }
    });
}

void InferenceWorker::unload(const UnloadJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        state_->forget();
        state_->kept.clear();
        state_->session.reset();
        Q_EMIT unloaded(job.id);
    });
}

void InferenceWorker::prepare(const PrepareJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        const CallOptions options{.stop = stop, .progress = progressOf(job.id)};
        const PreparedBatch& batch = state_->prepare(job.request, options);
        PreparedValue value = toPreparedValue(batch, job.request, state_->model());
        value.id = job.id;
        Q_EMIT prepared(value);
    });
}

void InferenceWorker::generate(const GenerateJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        Session& session = state_->model();
        GenerateOptions options;
        options.profile = parse_profile(job.profile.toStdString());
        options.max_new_tokens = job.maxNewTokens;
        options.seed = job.seed;
        options.stop = stop;
        options.progress = progressOf(job.id);
        options.on_token = StreamMeter(*mailbox_, job.id);
        const CallOptions reading{.stop = stop, .progress = options.progress};
        const PreparedBatch& batch = state_->batchOf(job.request, reading);
        const EditSet edits(session.model(), toEdits(job.edits), batch);
        const GenerateResult result = session.generate(batch, options);
        GenerationValue value;
        value.id = job.id;
        value.request = job.request;
        value.profile = job.profile;
        value.text = QString::fromStdString(result.texts.at(0));
        value.tokens =
            generatedRows(result.ids.at(0), result.prompt_width, session.processor().tokenizer);
        const std::string finish{finish_name(result.finish.at(0))};
        value.finish = QString::fromStdString(finish);
        value.tokensPerSecond = result.tokens_per_second;
        value.prefillSeconds = result.prefill_seconds;
        value.promptTokens = static_cast<int>(batch.prompt_tokens.at(0));
        value.budget = static_cast<int>(result.budget);
        value.record = std::make_shared<const RunRecord>(record_run(
            session, batch, 0, options, result, {state_->weights, edit_texts(toEdits(job.edits))}));
        value.edits = job.edits;
        state_->answer = {{"profile", job.profile.toStdString()},
                          {"generation",
                           {{"text", result.texts[0]},
                            {"generated_ids", result.ids[0]},
                            {"finish", finish},
                            {"max_new_tokens", job.maxNewTokens},
                            {"seed", job.seed}}}};
        if (!job.edits.isEmpty()) {
            state_->answer["generation"]["edits"] = edit_texts(toEdits(job.edits));
        }
        state_->answer_edits = job.edits;
        Q_EMIT generated(value);
    });
}

void InferenceWorker::extract(const ExtractJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        const CallOptions options{.stop = stop, .progress = progressOf(job.id)};
        const auto& embeddings = state_->embeddingsOf(job.request, job.edits, options);
        EmbeddingsValue value = toEmbeddingsValue(embeddings, state_->batch, job.request);
        value.id = job.id;
        value.request = job.request;
        value.edits = job.edits;
        Q_EMIT extracted(value);
    });
}

void InferenceWorker::compare(const CompareJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        const CompareTools tools{.session = state_->session,
                                 .weights = state_->weights,
                                 .stop = stop,
                                 .closing = closing_.get_token(),
                                 .progress = progressOf(job.id),
                                 .lost = [this] { Q_EMIT modelLost(); }};
        Q_EMIT compared(runCompare(job, tools));
    });
}

void InferenceWorker::exportTensors(const ExportJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        const auto file = toPath(job.file);
        if (!job.inputs && !job.embeddings && job.contextualLayers.empty()) {
            throw RequestError("nothing to export: choose inputs, embeddings or layers");
        }
        check_export_target(file);
        const CallOptions options{.stop = stop, .progress = progressOf(job.id)};
        const PreparedBatch& batch = state_->batchOf(job.request, options);
        std::vector<NamedTensor> tensors;
        const auto add = [&tensors](std::vector<NamedTensor> more) {
            std::move(more.begin(), more.end(), std::back_inserter(tensors));
        };
        if (job.inputs) {
            add(prepared_tensors(batch));
        }
        if (job.embeddings && !batch.slots.empty()) {
            add(embedding_tensors(state_->embeddingsOf(job.request, job.edits, options)));
        }
        if (!job.contextualLayers.empty()) {
            const std::vector<std::int64_t> layers(job.contextualLayers.begin(),
                                                   job.contextualLayers.end());
            // Of its own, so that noise is that of the embeddings and layer 0 holds these.
            const EditSet in_force(state_->model().model(), toEdits(job.edits), batch);
            add(contextual_tensors(
                state_->model().extract_contextual_embeddings(batch, layers, options)));
        }
        ExportedValue value;
        value.id = job.id;
        const bool computed = job.embeddings || !job.contextualLayers.empty();
        value.edits = computed ? job.edits : QStringList();
        export_tensors(file, tensors,
                       make_manifest(state_->model(), batch, state_->manifest(job.edits, computed)),
                       stop, options.progress);
        value.file = job.file;
        value.bytes = QFileInfo(job.file).size();
        value.tensors = tensorNames(tensors);
        Q_EMIT exported(value);
    });
}

template <typename Job, typename Value>
void InferenceWorker::runInstrument(const Job& job, const std::stop_token& stop,
                                    std::optional<Instrument> instrument,
                                    Value (*run)(const Job&, const InstrumentRun&),
                                    void (InferenceWorker::*tell)(const Value&)) {
    guarded(job.id, stop, [&] {
        const CallOptions options{.stop = stop, .progress = progressOf(job.id)};
        Session& session = state_->model();
        KeptResult kept;
        InstrumentRun on{session, state_->batchOf(job.on.request, options),
                         options, {},
                         nullptr, state_->weights};
        if (instrument) {
            on.kept = &kept;
        }
        if (instrument == Instrument::Alternatives) {
            on.onToken = StreamMeter(*mailbox_, job.id);
        }
        Value value = run(job, on);
        value.id = job.id;
        if (instrument) {
            kept.id = job.id;
            state_->kept[*instrument] = std::move(kept);
        }
        Q_EMIT(this->*tell)(value);
    });
}

void InferenceWorker::probe(const ProbeJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Probes, &runProbes, &InferenceWorker::probed);
}

void InferenceWorker::estimateProbe(const ProbeJob& job, std::stop_token stop) {
    runInstrument(job, stop, {}, &estimateProbes, &InferenceWorker::probeEstimated);
}

void InferenceWorker::layers(const LayersJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Layers, &runLayers, &InferenceWorker::layersRead);
}

void InferenceWorker::lens(const LensJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Lens, &runLens, &InferenceWorker::lensRead);
}

void InferenceWorker::attend(const AttentionJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Attention, &runAttention, &InferenceWorker::attended);
}

void InferenceWorker::saliency(const SaliencyJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Saliency, &runSaliency,
                  &InferenceWorker::saliencyComputed);
}

void InferenceWorker::alternatives(const AlternativesJob& job, std::stop_token stop) {
    runInstrument(job, stop, Instrument::Alternatives, &runAlternatives,
                  &InferenceWorker::alternativesListed);
}

void InferenceWorker::estimatePass(const PassJob& job, std::stop_token stop) {
    runInstrument(job, stop, {}, &earscope::estimatePass, &InferenceWorker::passEstimated);
}

void InferenceWorker::exportInstrument(const InstrumentExportJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] {
        const auto found = state_->kept.find(job.instrument);
        if (found == state_->kept.end() || found->second.id != job.result) {
            throw RequestError("this result is not kept any more; run the instrument again");
        }
        ExportedValue value;
        value.id = job.id;
        value.file = job.file;
        value.tensors = writeKept(found->second, toPath(job.file), stop, progressOf(job.id));
        value.bytes = QFileInfo(job.file).size();
        Q_EMIT exported(value);
    });
}

void InferenceWorker::selfCheck(const SelfCheckJob& job, std::stop_token stop) {
    guarded(job.id, stop, [&] { Q_EMIT selfChecked(runSelfCheck(job, stop, progressOf(job.id))); });
}

}  // namespace earscope
