#pragma once
#include "core/bridge/session_controller.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QObject>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <vector>

namespace earscope {

inline QString tinySnapshot() {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/snapshot");
}
inline QString tinyAudio(const QString& name) {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/audio/") + name;
}

/// How a job ended.
struct Ending {
    JobId id = 0;
    QString how;  ///< name of the signal
    Failure failure;
};

/// Listens to everything a controller says and keeps it.
class Recorder : public QObject {
public:
    explicit Recorder(SessionController& controller) : controller_(&controller) {
        connect(&controller, &SessionController::loaded, this, [this](const ModelValue& value) {
            model = value;
            end(value.id, "loaded");
        });
        connect(&controller, &SessionController::unloaded, this,
                [this](JobId id) { id == 0 ? void(++lost) : end(id, "unloaded"); });
        connect(&controller, &SessionController::prepared, this,
                [this](const PreparedValue& value) {
                    prepared = value;
                    end(value.id, "prepared");
                });
        connect(&controller, &SessionController::generated, this,
                [this](const GenerationValue& value) {
                    generated = value;
                    end(value.id, "generated");
                });
        connect(&controller, &SessionController::extracted, this,
                [this](const EmbeddingsValue& value) {
                    extracted = value;
                    end(value.id, "extracted");
                });
        connect(&controller, &SessionController::compared, this,
                [this](const ComparedValue& value) { end(value.id, "compared"); });
        connect(&controller, &SessionController::exported, this,
                [this](const ExportedValue& value) {
                    exported = value;
                    end(value.id, "exported");
                });
        connect(&controller, &SessionController::failed, this,
                [this](JobId id, const Failure& failure) { end(id, "failed", failure); });
        connect(&controller, &SessionController::cancelled, this,
                [this](JobId id) { end(id, "cancelled"); });
        connect(&controller, &SessionController::streamed, this, [this](const StreamValue& value) {
            streams.push_back(value);
            endedBeforeStream |= countOf(value.id) > 0;
        });
        connect(&controller, &SessionController::progressed, this,
                [this](JobId id, const Progress& value) { progress.emplace_back(id, value); });
        connect(&controller, &SessionController::busyChanged, this,
                [this](bool busy) { busyChanges.push_back(busy); });
    }

    int countOf(JobId id) const {
        return static_cast<int>(std::count_if(endings.begin(), endings.end(),
                                              [id](const Ending& e) { return e.id == id; }));
    }
    /// Waits for the end of a job. @return the name of its signal, "" after a minute without
    QString waitFor(JobId id) {
        QElapsedTimer timer;
        timer.start();
        while (countOf(id) == 0 && timer.elapsed() < 60'000) {
            QTest::qWait(5);
        }
        return endingOf(id).how;
    }
    Ending endingOf(JobId id) const {
        const auto found = std::find_if(endings.begin(), endings.end(),
                                        [id](const Ending& e) { return e.id == id; });
        return found == endings.end() ? Ending{} : *found;
    }
    QString streamedText(JobId id) const {
        QString text;
        for (const StreamValue& value : streams) {
            text += value.id == id ? value.text : QString();
        }
        return text;
    }
    /// Every job that ended did so once.
    bool eachEndedOnce() const {
        return std::all_of(endings.begin(), endings.end(),
                           [this](const Ending& e) { return countOf(e.id) == 1; });
    }

    ModelValue model;
    PreparedValue prepared;
    GenerationValue generated;
    EmbeddingsValue extracted;
    ExportedValue exported;
    std::vector<Ending> endings;
    std::vector<StreamValue> streams;
    std::vector<std::pair<JobId, Progress>> progress;
    std::vector<bool> busyChanges;
    int lost = 0;
    bool endedBeforeStream = false;

private:
    void end(JobId id, const char* how, const Failure& failure = {}) {
        endings.push_back({id, QString::fromLatin1(how), failure});
    }
    SessionController* controller_;
};

/// Longest time between two turns of this thread's event loop.
class Heartbeat : public QObject {
public:
    Heartbeat() {
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.setInterval(5);
        connect(&timer_, &QTimer::timeout, this, [this] {
            longest_ = std::max(longest_, clock_.restart());
            ++beats_;
        });
        clock_.start();
        timer_.start();
    }
    qint64 longestMs() const { return longest_; }
    int beats() const { return beats_; }

private:
    QTimer timer_;
    QElapsedTimer clock_;
    qint64 longest_ = 0;
    int beats_ = 0;
};

inline LoadJob tinyLoad() {
    LoadJob job;
    job.folder = tinySnapshot();
    job.device = QStringLiteral("cpu");
    return job;
}
inline GenerateJob generateJob(const RequestValue& request, int budget) {
    GenerateJob job;
    job.request = request;
    job.maxNewTokens = budget;
    return job;
}
inline PrepareJob prepareJob(const RequestValue& request) {
    PrepareJob job;
    job.request = request;
    return job;
}
inline ExtractJob extractJob(const RequestValue& request) {
    ExtractJob job;
    job.request = request;
    return job;
}
inline ExportJob exportJob(const RequestValue& request, const QString& file) {
    ExportJob job;
    job.request = request;
    job.file = file;
    return job;
}

}  // namespace earscope
