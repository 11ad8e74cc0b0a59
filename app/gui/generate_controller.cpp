#include "app/gui/generate_controller.h"

#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/model/display_text.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/tokens/tokens_tab.h"

#include <QSettings>

namespace earscope {
namespace {

/// A model with random weights hardly ever ends by itself; this much shows that it works.
constexpr int kUntrainedBudget = 128;

}  // namespace

GenerateController::GenerateController(SessionController& session, WorkState& state,
                                       PromptPanel& prompt, TokensTab& tokens,
                                       ProblemList& problems, QObject* parent)
    : QObject(parent),
      session_(session),
      state_(state),
      prompt_(prompt),
      tokens_(tokens),
      problems_(problems) {
    connect(&prompt_, &PromptPanel::generateRequested, this, &GenerateController::generate);
    connect(&prompt_, &PromptPanel::stopRequested, this, &GenerateController::stop);
    connect(&state_, &WorkState::changed, this,
            [this] { prompt_.setBlockedReason(state_.runReason()); });
    connect(&state_, &WorkState::modelChanged, this, [this] {
        if (state_.model()) {
            const ModelValue& model = *state_.model();
            prompt_.setBudget(model.untrained ? kUntrainedBudget : model.defaultBudget);
        }
    });
    connect(&state_, &WorkState::editsChanged, this, &GenerateController::showEdits);
    prompt_.setBlockedReason(state_.runReason());
    connectSession();
}

void GenerateController::connectSession() {
    connect(&session_, &SessionController::streamed, this, [this](const StreamValue& value) {
        if (value.id == job_) {
            prompt_.appendAnswer(value);
            Q_EMIT speedChanged(value.tokens, value.tokensPerSecond);
        }
    });
    connect(&session_, &SessionController::generated, this, [this](const GenerationValue& value) {
        if (value.id != job_) {
            return;
        }
        prompt_.finishAnswer(value);
        Q_EMIT speedChanged(static_cast<int>(value.tokens.size()), value.tokensPerSecond);
        answer_ = std::make_shared<const GenerationValue>(value);
        if (answer() && state_.prepared()) {
            tokens_.setGenerated(value.tokens);
        }
        finish();
    });
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_) {
            prompt_.failAnswer(failure);
            problems_.add(failureText(failure));
            finish();
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            prompt_.stopAnswer();
            finish();
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (id == job_) {
                    prompt_.setStage(progressText(progress));
                }
            });
}

std::shared_ptr<const GenerationValue> GenerateController::answer() const {
    const bool current = answer_ && sameRequest(answer_->request, state_.request()) &&
                         answer_->edits == state_.edits();
    return current ? answer_ : nullptr;
}

void GenerateController::showEdits() {
    prompt_.setEdits(state_.edits());
    if (state_.prepared()) {
        const auto current = answer();
        tokens_.setGenerated(current ? current->tokens : std::vector<TokenValue>());
    }
}

void GenerateController::generate() {
    if (isRunning() || !state_.runReason().isEmpty()) {
        return;
    }
    Q_EMIT aboutToRun();
    const PromptSettings settings = prompt_.settings();
    answer_.reset();
    GenerateJob job;
    job.request = state_.request();
    job.edits = state_.edits();
    job.profile = settings.profile;
    job.maxNewTokens = settings.budget;
    job.seed = settings.seed;
    prompt_.beginAnswer();
    job_ = session_.generate(job);
    Q_EMIT runningChanged(true);
}

void GenerateController::stop() {
    if (isRunning()) {
        session_.cancel(job_);
    }
}

void GenerateController::finish() {
    job_ = 0;
    Q_EMIT runningChanged(false);
}

void GenerateController::restore(const QSettings& settings) {
    PromptSettings values = prompt_.settings();
    values.prompt = settings.value(QStringLiteral("prompt/text"), values.prompt).toString();
    values.profile = settings.value(QStringLiteral("prompt/profile"), values.profile).toString();
    values.budget = settings.value(QStringLiteral("prompt/budget"), values.budget).toInt();
    values.seed = settings.value(QStringLiteral("prompt/seed"), values.seed).toULongLong();
    prompt_.setSettings(values);
}

void GenerateController::save(QSettings& settings) const {
    const PromptSettings values = prompt_.settings();
    settings.setValue(QStringLiteral("prompt/text"), values.prompt);
    settings.setValue(QStringLiteral("prompt/profile"), values.profile);
    settings.setValue(QStringLiteral("prompt/budget"), values.budget);
    settings.setValue(QStringLiteral("prompt/seed"), values.seed);
}

}  // namespace earscope
