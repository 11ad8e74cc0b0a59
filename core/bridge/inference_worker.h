#pragma once
#include "core/bridge/instrument_values.h"
#include "core/bridge/run_values.h"
#include "core/bridge/self_check_values.h"

#include <QObject>

#include <memory>
#include <optional>
#include <stop_token>

namespace earscope {

class Mailbox;
struct InstrumentRun;

struct UnloadJob {
    JobId id = 0;
};

/// Lives on the one thread that computes, and owns the only Session. Each method ends in exactly
/// one signal with the job's id: its result, `failed`, or `cancelled`. Nothing is thrown out of it.
class InferenceWorker : public QObject {
    Q_OBJECT
public:
    explicit InferenceWorker(std::shared_ptr<Mailbox> mailbox);
    ~InferenceWorker() override;

    /// To be called on the computing thread, before anything is computed: threads that libtorch
    /// starts from it take over its priority.
    void lowerPriority();

    void load(const LoadJob& job, std::stop_token stop);
    void unload(const UnloadJob& job, std::stop_token stop);
    void prepare(const PrepareJob& job, std::stop_token stop);
    void generate(const GenerateJob& job, std::stop_token stop);
    void extract(const ExtractJob& job, std::stop_token stop);
    void compare(const CompareJob& job, std::stop_token stop);
    void exportTensors(const ExportJob& job, std::stop_token stop);
    void probe(const ProbeJob& job, std::stop_token stop);
    void estimateProbe(const ProbeJob& job, std::stop_token stop);
    void layers(const LayersJob& job, std::stop_token stop);
    void lens(const LensJob& job, std::stop_token stop);
    void attend(const AttentionJob& job, std::stop_token stop);
    void saliency(const SaliencyJob& job, std::stop_token stop);
    void alternatives(const AlternativesJob& job, std::stop_token stop);
    void estimatePass(const PassJob& job, std::stop_token stop);
    void exportInstrument(const InstrumentExportJob& job, std::stop_token stop);
    void selfCheck(const SelfCheckJob& job, std::stop_token stop);

    /// From any thread: the program ends, so a job that would open the model again leaves it.
    void close() { closing_.request_stop(); }

Q_SIGNALS:
    void loaded(const earscope::ModelValue& model);
    /// The model was given up for another one that could then not be loaded.
    void modelLost();
    void unloaded(earscope::JobId id);
    void prepared(const earscope::PreparedValue& value);
    void generated(const earscope::GenerationValue& value);
    void extracted(const earscope::EmbeddingsValue& value);
    void compared(const earscope::ComparedValue& value);
    void exported(const earscope::ExportedValue& value);
    void probed(const earscope::ProbesValue& value);
    void probeEstimated(const earscope::ProbeEstimate& value);
    void layersRead(const earscope::LayersValue& value);
    void lensRead(const earscope::LensValue& value);
    void attended(const earscope::AttentionValue& value);
    void saliencyComputed(const earscope::SaliencyValue& value);
    void alternativesListed(const earscope::AlternativesValue& value);
    void passEstimated(const earscope::PassEstimate& value);
    void selfChecked(const earscope::SelfCheckValue& value);
    void failed(earscope::JobId id, const earscope::Failure& failure);
    void cancelled(earscope::JobId id);

private:
    struct State;

    template <typename Work>
    void guarded(JobId id, const std::stop_token& stop, Work&& work);
    /// Runs one of instrument_jobs.h on the job's request and tells its value; what it found is
    /// kept in the place of what this instrument found before, unless it only estimates.
    template <typename Job, typename Value>
    void runInstrument(const Job& job, const std::stop_token& stop,
                       std::optional<Instrument> instrument,
                       Value (*run)(const Job&, const InstrumentRun&),
                       void (InferenceWorker::*tell)(const Value&));
    ProgressCallback progressOf(JobId id) const;

    std::shared_ptr<Mailbox> mailbox_;
    std::unique_ptr<State> state_;
    std::stop_source closing_;
};

}  // namespace earscope
