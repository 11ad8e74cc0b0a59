#include "core/bridge/source_worker.h"

#include "audio/decode.h"
#include "core/bridge/failure.h"
#include "core/bridge/mailbox.h"

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

}  // namespace earscope
