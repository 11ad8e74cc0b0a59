#include "core/bridge/mailbox.h"
#include "core/bridge/session_controller.h"
#include "core/bridge/source_worker.h"

namespace earscope {

SourceLoader::SourceLoader(QObject* parent)
    : QObject(parent), mailbox_(std::make_shared<Mailbox>()) {
    worker_ = new SourceWorker(mailbox_);  // deleted on its own thread, see below
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    const auto settle = [this](JobId id) {
        stops_.erase(id);
        if (stops_.empty()) {
            mail_timer_.stop();
        }
    };
    connect(worker_, &SourceWorker::loaded, this, [this, settle](const SourceValue& source) {
        settle(source.id);
        Q_EMIT loaded(source);
    });
    connect(worker_, &SourceWorker::failed, this, [this, settle](JobId id, const Failure& failure) {
        settle(id);
        Q_EMIT failed(id, failure);
    });
    connect(worker_, &SourceWorker::cancelled, this, settle);
    mail_timer_.setInterval(kMailIntervalMs);
    connect(&mail_timer_, &QTimer::timeout, this, &SourceLoader::deliverMail);
    thread_.setObjectName(QStringLiteral("sources"));
    thread_.start(QThread::InheritPriority);
}

SourceLoader::~SourceLoader() {
    for (auto& [id, stop] : stops_) {
        stop.request_stop();
    }
    thread_.quit();
    thread_.wait();
}

JobId SourceLoader::load(const QString& path) {
    const JobId id = ++last_id_;
    const std::stop_token stop = stops_[id].get_token();
    QMetaObject::invokeMethod(
        worker_, [worker = worker_, id, path, stop] { worker->load(id, path, stop); },
        Qt::QueuedConnection);
    mail_timer_.start();
    return id;
}

void SourceLoader::cancel(JobId id) {
    if (const auto found = stops_.find(id); found != stops_.end()) {
        found->second.request_stop();
    }
}

void SourceLoader::deliverMail() {
    const auto progress = mailbox_->takeProgress();
    if (progress && stops_.contains(progress->first)) {
        Q_EMIT progressed(progress->first, progress->second);
    }
}

}  // namespace earscope
