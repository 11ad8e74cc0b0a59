#pragma once
#include "core/bridge/values.h"

#include <QObject>
#include <QThread>

#include <map>
#include <stop_token>

namespace earscope {

class InferenceWorker;

/// The window's handle on the one thread that owns the model. Lives on the GUI thread; no method
/// waits.
///
/// Every job ends in exactly one of its own result signal, `failed`, or `cancelled`, with the id
/// the method returned. Jobs run one after the other in the order given.
class SessionController : public QObject {
    Q_OBJECT
public:
    explicit SessionController(QObject* parent = nullptr);
    /// Cancels what runs and joins the thread.
    ~SessionController() override;

    JobId load(LoadJob job);
    JobId unload();
    JobId prepare(PrepareJob job);
    JobId generate(GenerateJob job);
    JobId extract(ExtractJob job);
    JobId exportTensors(ExportJob job);
    void cancel(JobId id);
    void cancelAll();
    bool isBusy() const { return !stops_.empty(); }

Q_SIGNALS:
    void loaded(const earscope::ModelValue& model);
    void unloaded(earscope::JobId id);
    void prepared(const earscope::PreparedValue& value);
    void streamed(const earscope::StreamValue& value);
    void generated(const earscope::GenerationValue& value);
    void extracted(const earscope::EmbeddingsValue& value);
    void exported(const earscope::ExportedValue& value);
    void failed(earscope::JobId id, const earscope::Failure& failure);
    void cancelled(earscope::JobId id);
    /// At most 20 a second per job.
    void progressed(earscope::JobId id, const earscope::Progress& progress);
    void busyChanged(bool busy);

private:
    template <typename Job>
    JobId post(Job job, void (InferenceWorker::*run)(const Job&, std::stop_token));
    void finish(JobId id);

    QThread thread_;
    InferenceWorker* worker_ = nullptr;
    JobId last_id_ = 0;
    std::map<JobId, std::stop_source> stops_;
};

/// Decodes sound files for the window on a thread of its own, so that a long file never delays the
/// model.
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
    QThread thread_;
    QObject* worker_ = nullptr;
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
