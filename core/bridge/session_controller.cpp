#include "core/bridge/session_controller.h"

#include "core/bridge/inference_worker.h"
#include "core/bridge/mailbox.h"

namespace earscope {

SessionController::SessionController(QObject* parent)
    : QObject(parent), mailbox_(std::make_shared<Mailbox>()) {
    worker_ = new InferenceWorker(mailbox_);  // deleted on its own thread, see below
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, worker_, &InferenceWorker::lowerPriority);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    connectEndings();
    mail_timer_.setTimerType(Qt::PreciseTimer);  // a coarse one may be 5 % early: 21 a second
    mail_timer_.setInterval(kMailIntervalMs);
    connect(&mail_timer_, &QTimer::timeout, this, &SessionController::deliverMail);
    thread_.setObjectName(QStringLiteral("inference"));
    thread_.start();
}

SessionController::~SessionController() {
    for (auto& [id, stop] : stops_) {
        stop.request_stop();
    }
    worker_->close();
    thread_.quit();
    thread_.wait();
}

void SessionController::connectEndings() {
    connect(worker_, &InferenceWorker::loaded, this,
            [this](const ModelValue& model) { finish(model.id, [&] { Q_EMIT loaded(model); }); });
    connect(worker_, &InferenceWorker::modelLost, this, [this] { Q_EMIT unloaded(0); });
    connect(worker_, &InferenceWorker::unloaded, this,
            [this](JobId id) { finish(id, [&] { Q_EMIT unloaded(id); }); });
    connect(worker_, &InferenceWorker::prepared, this, [this](const PreparedValue& value) {
        finish(value.id, [&] { Q_EMIT prepared(value); });
    });
    connect(worker_, &InferenceWorker::generated, this, [this](const GenerationValue& value) {
        finish(value.id, [&] { Q_EMIT generated(value); });
    });
    connect(worker_, &InferenceWorker::extracted, this, [this](const EmbeddingsValue& value) {
        finish(value.id, [&] { Q_EMIT extracted(value); });
    });
    connect(worker_, &InferenceWorker::compared, this, [this](const ComparedValue& value) {
        finish(value.id, [&] { Q_EMIT compared(value); });
    });
    connect(worker_, &InferenceWorker::exported, this, [this](const ExportedValue& value) {
        finish(value.id, [&] { Q_EMIT exported(value); });
    });
    connect(worker_, &InferenceWorker::failed, this, [this](JobId id, const Failure& failure) {
        finish(id, [&] { Q_EMIT failed(id, failure); });
    });
    connect(worker_, &InferenceWorker::cancelled, this,
            [this](JobId id) { finish(id, [&] { Q_EMIT cancelled(id); }); });
}

template <typename Job>
JobId SessionController::post(Job job, void (InferenceWorker::*run)(const Job&, std::stop_token)) {
    const JobId id = ++last_id_;
    job.id = id;
    const std::stop_token stop = stops_[id].get_token();
    QMetaObject::invokeMethod(
        worker_, [worker = worker_, job = std::move(job), run, stop] { (worker->*run)(job, stop); },
        Qt::QueuedConnection);
    mail_timer_.start();
    if (!busy_) {
        busy_ = true;
        Q_EMIT busyChanged(true);
    }
    return id;
}

template <typename Result>
void SessionController::finish(JobId id, Result&& result) {
    deliverText();
    stops_.erase(id);
    result();
    if (stops_.empty() && busy_) {  // whoever got the result may have asked for more
        mail_timer_.stop();
        busy_ = false;
        Q_EMIT busyChanged(false);
    }
}

void SessionController::deliverText() {
    for (const StreamValue& value : mailbox_->takeText()) {
        Q_EMIT streamed(value);
    }
}

void SessionController::deliverMail() {
    deliverText();
    const auto progress = mailbox_->takeProgress();
    if (progress && stops_.contains(progress->first)) {
        Q_EMIT progressed(progress->first, progress->second);
    }
}

JobId SessionController::load(LoadJob job) {
    return post(std::move(job), &InferenceWorker::load);
}

JobId SessionController::unload() {
    return post(UnloadJob{}, &InferenceWorker::unload);
}

JobId SessionController::prepare(PrepareJob job) {
    return post(std::move(job), &InferenceWorker::prepare);
}

JobId SessionController::generate(GenerateJob job) {
    return post(std::move(job), &InferenceWorker::generate);
}

JobId SessionController::extract(ExtractJob job) {
    return post(std::move(job), &InferenceWorker::extract);
}

JobId SessionController::compare(CompareJob job) {
    return post(std::move(job), &InferenceWorker::compare);
}

JobId SessionController::exportTensors(ExportJob job) {
    return post(std::move(job), &InferenceWorker::exportTensors);
}

void SessionController::cancel(JobId id) {
    if (const auto found = stops_.find(id); found != stops_.end()) {
        found->second.request_stop();
    }
}

void SessionController::cancelAll() {
    for (auto& [id, stop] : stops_) {
        stop.request_stop();
    }
}

}  // namespace earscope
