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

template <typename Value>
void SessionController::forward(void (InferenceWorker::*from)(const Value&),
                                void (SessionController::*to)(const Value&)) {
    connect(worker_, from, this, [this, to](const Value& value) {
        finish(value.id, [&] { Q_EMIT(this->*to)(value); });
    });
}

void SessionController::connectEndings() {
    connect(worker_, &InferenceWorker::loaded, this,
            [this](const ModelValue& model) { finish(model.id, [&] { Q_EMIT loaded(model); }); });
    connect(worker_, &InferenceWorker::modelLost, this, [this] { Q_EMIT unloaded(0); });
    connect(worker_, &InferenceWorker::unloaded, this,
            [this](JobId id) { finish(id, [&] { Q_EMIT unloaded(id); }); });
    using Worker = InferenceWorker;
    using Controller = SessionController;
    forward(&Worker::prepared, &Controller::prepared);
    forward(&Worker::generated, &Controller::generated);
    forward(&Worker::extracted, &Controller::extracted);
    forward(&Worker::compared, &Controller::compared);
    forward(&Worker::exported, &Controller::exported);
    forward(&Worker::probed, &Controller::probed);
    forward(&Worker::probeEstimated, &Controller::probeEstimated);
    forward(&Worker::layersRead, &Controller::layersRead);
    forward(&Worker::lensRead, &Controller::lensRead);
    forward(&Worker::attended, &Controller::attended);
    forward(&Worker::saliencyComputed, &Controller::saliencyComputed);
    forward(&Worker::alternativesListed, &Controller::alternativesListed);
    forward(&Worker::passEstimated, &Controller::passEstimated);
    forward(&Worker::selfChecked, &Controller::selfChecked);
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

JobId SessionController::probe(ProbeJob job) {
    return post(std::move(job), &InferenceWorker::probe);
}

JobId SessionController::estimateProbe(ProbeJob job) {
    return post(std::move(job), &InferenceWorker::estimateProbe);
}

JobId SessionController::layers(LayersJob job) {
    return post(std::move(job), &InferenceWorker::layers);
}

JobId SessionController::lens(LensJob job) {
    return post(std::move(job), &InferenceWorker::lens);
}

JobId SessionController::attend(AttentionJob job) {
    return post(std::move(job), &InferenceWorker::attend);
}

JobId SessionController::saliency(SaliencyJob job) {
    return post(std::move(job), &InferenceWorker::saliency);
}

JobId SessionController::alternatives(AlternativesJob job) {
    return post(std::move(job), &InferenceWorker::alternatives);
}

JobId SessionController::estimatePass(PassJob job) {
    return post(std::move(job), &InferenceWorker::estimatePass);
}

JobId SessionController::exportInstrument(InstrumentExportJob job) {
    return post(std::move(job), &InferenceWorker::exportInstrument);
}

JobId SessionController::selfCheck(SelfCheckJob job) {
    return post(std::move(job), &InferenceWorker::selfCheck);
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
