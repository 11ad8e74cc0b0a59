#include "audio/decode.h"
#include "core/bridge/failure.h"
#include "core/bridge/mailbox.h"
#include "core/bridge/session_controller.h"
#include "core/bridge/source_worker.h"

#include <QFile>
#include <QFileInfo>

namespace earscope {
namespace {

SourceValue decodeSource(const QString& path, const std::stop_token& stop,
                         const ProgressCallback& progress) {
    DecodedAudio decoded = decode_file(QFile::encodeName(path).toStdString(), stop, progress);
    check_waveform(decoded.waveform, QFileInfo(path).fileName().toStdString());
    throw_if_stopped(stop);
    SourceValue source;
    source.path = path;
    source.format = QString::fromStdString(decoded.format);
    source.sampleRate = static_cast<int>(decoded.waveform.sample_rate);
    source.channels = decoded.channels;
    source.durationSeconds = static_cast<double>(decoded.waveform.samples.size()) /
                             static_cast<double>(decoded.waveform.sample_rate);
    for (const std::string& notice : decoded.notices) {
        source.notices.append(QString::fromStdString(notice));
    }
    source.peaks = std::make_shared<const PeakPyramid>(decoded.waveform.samples);
    source.mono = std::make_shared<const std::vector<float>>(std::move(decoded.waveform.samples));
    return source;
}

}  // namespace

SourceWorker::SourceWorker(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}

SourceWorker::~SourceWorker() = default;

void SourceWorker::load(JobId id, const QString& path, const std::stop_token& stop) {
    const auto work = [&] {
        SourceValue source = decodeSource(path, stop, [this, id](const Progress& progress) {
            mailbox_->putProgress(id, progress);
        });
        source.id = id;
        Q_EMIT loaded(source);
    };
    runGuarded(
        stop, work, [this, id](const Failure& failure) { Q_EMIT failed(id, failure); },
        [this, id] { Q_EMIT cancelled(id); });
}

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
