#include "app/gui/sources_controller.h"

#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "audio/playback/player.h"
#include "widgets/model/display_text.h"
#include "widgets/sources/record_bar.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace earscope {

SourcesController::SourcesController(WorkState& state, SourcesPanel& panel, RecordBar& recorder,
                                     ProblemList& problems, QObject* parent)
    : QObject(parent),
      state_(state),
      panel_(panel),
      recorder_(recorder),
      problems_(problems),
      player_(std::make_unique<Player>()),
      last_folder_(QDir::homePath()) {
    connectPanel();
    connectLoader();
    connectPlayer();
    connect(&state_, &WorkState::modelChanged, this, &SourcesController::refreshRows);
    connect(&state_, &WorkState::preparedChanged, this, &SourcesController::refreshRows);
    panel_.setPlaybackReason(player_->unavailableReason());
    refresh();
}

SourcesController::~SourcesController() {
    player_->disconnect(this);
}

void SourcesController::connectPanel() {
    connect(&panel_, &SourcesPanel::addRequested, this, &SourcesController::add);
    connect(&panel_, &SourcesPanel::removeRequested, this, &SourcesController::remove);
    connect(&panel_, &SourcesPanel::moveRequested, this, &SourcesController::move);
    connect(&panel_, &SourcesPanel::labelChanged, this, [this](int index, const QString& label) {
        if (index >= 0 && index < count()) {
            sources_[static_cast<std::size_t>(index)].label = label;
            refresh();
        }
    });
    connect(&panel_, &SourcesPanel::playRequested, this, [this](int index) { play(index); });
    connect(&panel_, &SourcesPanel::stopRequested, this, &SourcesController::stopPlaying);
    connect(&recorder_, &RecordBar::recorded, this, [this](const QString& path) { add({path}); });
    connect(&recorder_, &RecordBar::failed, this, [this](const QString& message) {
        panel_.showMessage(message);
        problems_.add(message);
    });
}

void SourcesController::connectLoader() {
    connect(&loader_, &SourceLoader::loaded, this, [this](const SourceValue& value) {
        if (Source* source = byJob(value.id)) {
            source->sound = value;
            source->job = 0;
            refresh();
        }
    });
    connect(&loader_, &SourceLoader::failed, this, [this](JobId id, const Failure& failure) {
        if (Source* source = byJob(id)) {
            source->error =
                failure.message.isEmpty() ? failureTitle(failure.kind) : failure.message;
            source->job = 0;
            problems_.add(failureText(failure));
            refresh();
        }
    });
}

void SourcesController::connectPlayer() {
    connect(player_.get(), &Player::positionChanged, this,
            [this](double seconds) { Q_EMIT playHeadMoved(playing_, seconds); });
    connect(player_.get(), &Player::playingChanged, this, [this](bool playing) {
        if (!playing) {
            playing_ = -1;
            Q_EMIT playHeadMoved(-1, 0);
        }
        panel_.setPlaying(playing_);
    });
    connect(player_.get(), &Player::failed, this, [this](const QString& message) {
        panel_.showMessage(message);
        problems_.add(message);
    });
    connect(player_.get(), &Player::availabilityChanged, this,
            [this] { panel_.setPlaybackReason(player_->unavailableReason()); });
}

SourcesController::Source* SourcesController::byJob(JobId id) {
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [id](const Source& source) { return source.job == id; });
    return found == sources_.end() ? nullptr : &*found;
}

void SourcesController::add(const QStringList& paths) {
    const SourcesPanel::DropVerdict verdict = panel_.judgePaths(paths);
    for (const QString& path : verdict.paths) {
        if (count() == kMaxSources) {
            break;
        }
        Source source;
        source.sound.path = path;
        source.job = loader_.load(path);
        sources_.push_back(std::move(source));
        last_folder_ = QFileInfo(path).absolutePath();
    }
    refresh();
    if (!verdict.refusals.isEmpty()) {
        panel_.showMessage(verdict.refusals.join(QLatin1Char('\n')));
    }
}

void SourcesController::chooseFiles() {
    auto* dialog = new QFileDialog(panel_.window(), tr("Add audio"), last_folder_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters(
        {tr("Sound files (*.wav *.flac *.ogg *.oga *.opus *.mp3 *.aif *.aiff *.aifc *.au *.snd "
            "*.w64 *.caf)"),
         tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &SourcesController::add);
    dialog->open();
}

const SourceValue& SourcesController::sound(int index) const {
    return sources_[static_cast<std::size_t>(index)].sound;
}

QString SourcesController::label(int index) const {
    const Source& source = sources_[static_cast<std::size_t>(index)];
    return source.label.isEmpty() ? QFileInfo(source.sound.path).fileName() : source.label;
}

QString SourcesController::error(int index) const {
    return sources_[static_cast<std::size_t>(index)].error;
}

bool SourcesController::isLoading(int index) const {
    return sources_[static_cast<std::size_t>(index)].job != 0;
}

void SourcesController::remove(int index) {
    if (index < 0 || index >= count()) {
        return;
    }
    stopPlaying();
    Source& source = sources_[static_cast<std::size_t>(index)];
    if (source.job != 0) {
        loader_.cancel(source.job);
    }
    sources_.erase(sources_.begin() + index);
    refresh();
}

void SourcesController::move(int from, int to) {
    if (from < 0 || from >= count() || to < 0 || to >= count() || from == to) {
        return;
    }
    stopPlaying();
    Source source = std::move(sources_[static_cast<std::size_t>(from)]);
    sources_.erase(sources_.begin() + from);
    sources_.insert(sources_.begin() + to, std::move(source));
    refresh();
}

QString SourcesController::reason() const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (!sources_[i].error.isEmpty()) {
            return tr("Source %1 cannot be used: remove it or put another in its place.")
                .arg(i + 1);
        }
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (sources_[i].job != 0) {
            return tr("Source %1 is still being read.").arg(i + 1);
        }
    }
    return {};
}

SourceEntry SourcesController::entryOf(const Source& source, std::size_t index) const {
    SourceEntry entry;
    entry.path = source.sound.path;
    entry.label = source.label;
    entry.sampleRate = source.sound.sampleRate;
    entry.channels = source.sound.channels;
    entry.durationSeconds = source.sound.durationSeconds;
    entry.notices = source.sound.notices;
    entry.error = source.error;
    entry.loading = source.job != 0;
    if (state_.model() && source.sound.mono) {
        entry.expectedTokens = expectedAudioTokens(entry.durationSeconds, state_.family());
    }
    const WorkState::Prepared& prepared = state_.prepared();
    if (prepared && index < prepared->sources.size()) {
        entry.tokens = prepared->sources[index].tokens;
        for (const QString& notice : prepared->sources[index].notices) {
            if (!entry.notices.contains(notice)) {
                entry.notices << notice;
            }
        }
        if (const QString note = paddingNote(prepared->sources[index]); !note.isEmpty()) {
            entry.notices << note;
        }
    }
    return entry;
}

QString SourcesController::paddingNote(const PreparedSource& source) const {
    constexpr double kChunkSeconds = 4;
    const QString padding = state_.model() ? state_.model()->chunkPadding : QString();
    if (padding.isEmpty() || source.durationSeconds >= kChunkSeconds) {
        return {};
    }
    return padding == QLatin1String("independent")
               ? tr("Under 4 s: encoded as if it were alone (chunk padding: independent).")
               : tr("Under 4 s: its numbers depend a little on the other sources (chunk padding: "
                    "as "
                    "the reference).");
}

void SourcesController::refresh() {
    QStringList paths;
    QStringList labels;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        paths << sources_[i].sound.path;
        labels << label(static_cast<int>(i));
    }
    // The state drops what was prepared for other paths before the rows are described.
    state_.setSources(paths, labels, reason());
    refreshRows();
    recorder_.setBlockedReason(count() < kMaxSources
                                   ? QString()
                                   : tr("A request takes at most %1 sources.").arg(kMaxSources));
    Q_EMIT changed();
}

void SourcesController::refreshRows() {
    std::vector<SourceEntry> entries;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        entries.push_back(entryOf(sources_[i], i));
    }
    panel_.setSources(std::move(entries));
}

void SourcesController::play(int index, double beginSeconds, double endSeconds) {
    if (index < 0 || index >= count() || !sound(index).mono) {
        return;
    }
    player_->setSignal(sound(index).mono, sound(index).sampleRate);
    playing_ = index;
    player_->play(beginSeconds, endSeconds);
    panel_.setPlaying(player_->isPlaying() ? index : -1);
}

void SourcesController::stopPlaying() {
    player_->stop();
}

bool SourcesController::isPlaying() const {
    return player_->isPlaying();
}

}  // namespace earscope
