#pragma once
#include "core/bridge/instrument_values.h"
#include "core/bridge/run_values.h"
#include "core/bridge/self_check_values.h"

#include <QObject>
#include <QThread>
#include <QTimer>

#include <map>
#include <memory>
#include <stop_token>

namespace earscope {

class InferenceWorker;
class Mailbox;
class SourceWorker;

/// The window's handle on the one thread that owns the model. Lives on the GUI thread; no method
/// waits.
///
/// Every job ends in exactly one of its own result signal, `failed`, or `cancelled`, with the id
/// the method returned. Jobs run one after the other in the order given. A job that was cancelled
/// while it waited ends when its turn comes; one that was cancelled while it ran ends as soon as
/// its stop token is read (between files, windows, layers and tokens), after its text so far was
/// streamed.
///
/// Loading first checks the new snapshot's configuration and headers; if these are refused, the
/// model of before stays. Then it makes room: a load that fails or is cancelled later leaves no
/// model, and `unloaded` with id 0 says so before the job's own ending.
class SessionController : public QObject {
    Q_OBJECT
public:
    explicit SessionController(QObject* parent = nullptr);
    /// Cancels what runs and joins the thread.
    ~SessionController() override;

    /// `folder` may also be "demo" or "demo-moss", the built-in demonstration models.
    JobId load(LoadJob job);
    JobId unload();
    /// Reads the sound files anew. What is prepared is kept and used by the jobs below as long as
    /// they have an equal request, also when a file was changed meanwhile.
    JobId prepare(PrepareJob job);
    JobId generate(GenerateJob job);
    JobId extract(ExtractJob job);
    /// Answers one request under two specifications, one after the other. A snapshot other than the
    /// open one takes its place meanwhile, with its device, dtype, attention and chunk padding;
    /// both are looked at first, and a folder that is refused costs nothing. Whatever the end, the
    /// model of before is opened again before it is told (so a cancelled job may take as long as a
    /// load); should that fail, `unloaded` with id 0 says so first.
    JobId compare(CompareJob job);
    JobId exportTensors(ExportJob job);

    // Instruments. Each sees the edits of its own job and leaves the model as it was.
    JobId probe(ProbeJob job);
    /// Runs nothing but `prepare` where the request is new.
    JobId estimateProbe(ProbeJob job);
    JobId layers(LayersJob job);
    JobId lens(LensJob job);
    JobId attend(AttentionJob job);
    JobId saliency(SaliencyJob job);
    /// Streams its text as `generate` does.
    JobId alternatives(AlternativesJob job);
    /// Measures one pass with gradients, or the first second of one.
    JobId estimatePass(PassJob job);
    /// Ends as exportTensors does.
    JobId exportInstrument(InstrumentExportJob job);
    /// Holds the demonstration models against the reference's values; the open model stays.
    JobId selfCheck(SelfCheckJob job);

    void cancel(JobId id);
    void cancelAll();
    bool isBusy() const { return !stops_.empty(); }

Q_SIGNALS:
    void loaded(const earscope::ModelValue& model);
    /// @param id  0: the model had to go for another one, which then could not be loaded
    void unloaded(earscope::JobId id);
    void prepared(const earscope::PreparedValue& value);
    void streamed(const earscope::StreamValue& value);
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
    /// At most 20 a second per job.
    void progressed(earscope::JobId id, const earscope::Progress& progress);
    void busyChanged(bool busy);

private:
    template <typename Job>
    JobId post(Job job, void (InferenceWorker::*run)(const Job&, std::stop_token));
    void connectEndings();
    /// A result of the worker ends its job and is told as it is.
    template <typename Value>
    void forward(void (InferenceWorker::*from)(const Value&),
                 void (SessionController::*to)(const Value&));
    void deliverMail();
    void deliverText();
    /// Ends a job: its last text, then `result`, then busyChanged if nothing else runs.
    template <typename Result>
    void finish(JobId id, Result&& result);

    QThread thread_;
    InferenceWorker* worker_ = nullptr;  ///< lives on thread_, deletes itself when that ends
    std::shared_ptr<Mailbox> mailbox_;
    QTimer mail_timer_;
    JobId last_id_ = 0;
    std::map<JobId, std::stop_source> stops_;
    bool busy_ = false;  ///< as last told by busyChanged
};

/// Decodes sound files for the window on a thread of its own, so that a long file never delays the
/// model. A file no model could hear (NaN samples, absurd rates) fails. A cancelled load ends
/// without a signal.
class SourceLoader : public QObject {
    Q_OBJECT
public:
    explicit SourceLoader(QObject* parent = nullptr);
    ~SourceLoader() override;

    JobId load(const QString& path);
    void cancel(JobId id);

Q_SIGNALS:
    void loaded(const earscope::SourceValue& source);
    void failed(earscope::JobId id, const earscope::Failure& failure);
    void progressed(earscope::JobId id, const earscope::Progress& progress);

private:
    void deliverMail();

    QThread thread_;
    SourceWorker* worker_ = nullptr;  ///< lives on thread_, deletes itself when that ends
    std::shared_ptr<Mailbox> mailbox_;
    QTimer mail_timer_;
    JobId last_id_ = 0;
    std::map<JobId, std::stop_source> stops_;
};

/// Folders of Hugging Face cache entries of a supported family.
QStringList cachedSnapshotFolders();
/// "auto", "cpu", "cuda:0", ...: asks the driver, so call it off the first-paint path.
QStringList availableDevices();
/// The window's own default dtype and the choices.
QStringList supportedDtypes();
/// What the model will be told when the user wrote no marker; equal to the core's own rule.
QString promptWithDefaultMarkers(const QString& prompt, int audios, const QString& family);
/// Expected audio tokens of a source of this length, before anything is run.
int expectedAudioTokens(double durationSeconds, const QString& family);

}  // namespace earscope
