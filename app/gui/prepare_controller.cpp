#include "app/gui/prepare_controller.h"

#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/model/display_text.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/tokens/tokens_tab.h"

namespace earscope {

PrepareController::PrepareController(SessionController& session, WorkState& state,
                                     PromptPanel& prompt, TokensTab& tokens, QObject* parent)
    : QObject(parent), session_(session), state_(state), prompt_(prompt), tokens_(tokens) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDelayMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &PrepareController::prepareNow);
    connect(&prompt_, &PromptPanel::promptChanged, &state_, &WorkState::setPrompt);
    connect(&state_, &WorkState::modelChanged, this, [this] {
        const auto& model = state_.model();
        prompt_.setModel(model ? model->contextLength : 0, model && model->untrained);
    });
    for (const auto signal : {&WorkState::modelChanged, &WorkState::promptChanged,
                              &WorkState::sourcesChanged, &WorkState::sourceDetailsChanged}) {
        connect(&state_, signal, this, &PrepareController::schedule);
    }
    connect(&state_, &WorkState::problemChanged, this,
            [this] { prompt_.setProblem(state_.problem()); });
    connectSession();
    schedule();
}

void PrepareController::connectSession() {
    connect(&session_, &SessionController::prepared, this, &PrepareController::onPrepared);
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id != job_) {
            return;
        }
        job_ = 0;
        if (sameRequest(asked_, state_.request())) {
            prompt_.setPromptTokens(0, 0);
            state_.setProblem(failureText(failure));
            showEmptyTokens();
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            job_ = 0;
            tokens_.showEmpty(tr("Preparing was stopped."), tr("Prepare"));
        }
    });
}

void PrepareController::showMarkers() {
    const int audios = static_cast<int>(state_.audioPaths().size());
    prompt_.setMarkedPrompt(state_.model()
                                ? promptWithDefaultMarkers(state_.prompt(), audios, state_.family())
                                : state_.prompt());
}

void PrepareController::schedule() {
    showMarkers();
    if (job_ != 0) {
        session_.cancel(job_);
        job_ = 0;
    }
    if (state_.prepared()) {
        return;  // only labels changed
    }
    const bool something = !state_.prompt().isEmpty() || !state_.audioPaths().isEmpty();
    if (state_.model() && something && state_.sourcesReason().isEmpty()) {
        timer_.start();
    } else {
        timer_.stop();
        prompt_.setPromptTokens(0, 0);
        showEmptyTokens();
    }
}

void PrepareController::showEmptyTokens() {
    if (!state_.model()) {
        tokens_.showEmpty(tr("Needs a model's tokenizer and a prompt."), tr("Open model…"));
    } else if (!state_.sourcesReason().isEmpty()) {
        tokens_.showEmpty(state_.sourcesReason());
    } else if (!state_.problem().isEmpty()) {
        tokens_.showEmpty(state_.problem());
    } else {
        tokens_.showEmpty(tr("Write a prompt or add audio: then every token is listed here."));
    }
}

void PrepareController::flush() {
    if (timer_.isActive()) {
        prepareNow();
    }
}

void PrepareController::prepareNow() {
    timer_.stop();
    if (!state_.model() || !state_.sourcesReason().isEmpty() || state_.prepared()) {
        return;
    }
    asked_ = state_.request();
    PrepareJob job;
    job.request = asked_;
    job_ = session_.prepare(job);
}

void PrepareController::onPrepared(const PreparedValue& value) {
    if (value.id != job_) {
        return;
    }
    job_ = 0;
    if (!sameRequest(asked_, state_.request())) {
        return;
    }
    prompt_.setPromptTokens(value.promptTokens, value.audioTokens);
    tokens_.setPrompt(value.tokens);
    state_.setPrepared(std::make_shared<const PreparedValue>(value));
}

}  // namespace earscope
