#include "app/gui/signal_controller.h"

#include "app/gui/sources_controller.h"
#include "app/gui/work_state.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/signal/signal_view.h"

#include <algorithm>

namespace earscope {
namespace {

constexpr double kAroundTokenSeconds = 0.5;

}  // namespace

SignalController::SignalController(WorkState& state, SourcesController& sources, SignalView& view,
                                   CursorModel& cursor, QObject* parent)
    : QObject(parent), state_(state), sources_(sources), view_(view), cursor_(cursor) {
    view_.setCursorModel(&cursor_);
    connect(&sources_, &SourcesController::changed, this, &SignalController::refresh);
    connect(&sources_, &SourcesController::playHeadMoved, &view_, &SignalView::setPlayHead);
    connect(&state_, &WorkState::preparedChanged, this, &SignalController::refresh);
    connect(&state_, &WorkState::problemChanged, this, &SignalController::refresh);
    connect(&state_, &WorkState::modelChanged, this, [this] {
        kept_.clear();
        kept_paths_.clear();
        view_.setUsesWindows(!state_.model() || state_.model()->usesWindows);
        refresh();
    });
    connect(&view_, &SignalView::playRequested, &sources_, &SourcesController::play);
}

QString SignalController::messageOf(int index) const {
    if (!sources_.error(index).isEmpty()) {
        return sources_.error(index);
    }
    if (sources_.isLoading(index)) {
        return tr("Reading the sound file…");
    }
    if (!state_.model()) {
        return tr("Open a model to see what it gets of this sound.");
    }
    if (!state_.problem().isEmpty()) {
        return tr("Not prepared: the Prompt panel says why.");
    }
    return state_.sourcesReason().isEmpty() ? tr("Preparing…") : state_.sourcesReason();
}

void SignalController::keepPrepared() {
    if (state_.prepared()) {
        kept_ = state_.prepared()->sources;
        kept_paths_ = state_.audioPaths();
    } else if (kept_paths_ != state_.audioPaths()) {
        kept_.clear();
        kept_paths_.clear();
    }
}

void SignalController::refresh() {
    std::vector<SignalSource> shown;
    std::vector<SourceTimes> times;
    keepPrepared();
    for (int i = 0; i < sources_.count(); ++i) {
        SignalSource source;
        source.label = sources_.label(i);
        source.sound = sources_.sound(i);
        SourceTimes time;
        time.durationSeconds = source.sound.durationSeconds;
        const auto index = static_cast<std::size_t>(i);
        if (index < kept_.size()) {
            source.prepared = kept_[index];
            time.tokenSeconds = source.prepared->tokenSeconds;
            time.secondsPerToken = source.prepared->secondsPerToken;
        } else {
            source.message = messageOf(i);
        }
        shown.push_back(std::move(source));
        times.push_back(std::move(time));
    }
    cursor_.setSources(std::move(times));
    view_.setSources(std::move(shown));
}

void SignalController::togglePlay() {
    if (sources_.isPlaying()) {
        sources_.stopPlaying();
        return;
    }
    const CursorRange range = cursor_.range();
    if (!range.isEmpty()) {
        sources_.play(range.source, range.beginSeconds, range.endSeconds);
    } else if (cursor_.isLocked()) {
        sources_.play(cursor_.point().source, cursor_.point().seconds);
    } else {
        sources_.play(0);
    }
}

void SignalController::playToken() {
    const CursorPoint point = cursor_.point();
    if (!point.isValid()) {
        return;
    }
    const int token = cursor_.token();
    const double begin = token < 0 ? point.seconds : cursor_.secondsOf(point.source, token);
    const double end = token < 0 ? point.seconds : cursor_.endOf(point.source, token);
    sources_.play(point.source, std::max(0.0, begin - kAroundTokenSeconds),
                  end + kAroundTokenSeconds);
}

}  // namespace earscope
