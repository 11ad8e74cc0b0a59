#include "app/gui/embeddings_controller.h"

#include "app/gui/background.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/model/display_text.h"

#include <QLocale>

namespace earscope {
namespace {

std::vector<EmbeddingsTab::Matrix> summarize(const EmbeddingsValue& value) {
    std::vector<EmbeddingsTab::Matrix> matrices;
    for (std::size_t i = 0; i < value.sources.size(); ++i) {
        for (const EmbeddingKind& kind : embeddingKinds(value.sources[i])) {
            matrices.push_back(std::make_shared<const EmbeddingMatrix>(
                summarizeEmbedding(value.sources[i], static_cast<int>(i), kind)));
        }
    }
    return matrices;
}

}  // namespace

EmbeddingsController::EmbeddingsController(SessionController& session, WorkState& state,
                                           EmbeddingsTab& tab, ProblemList& problems,
                                           QObject* parent)
    : QObject(parent), session_(session), state_(state), tab_(tab), problems_(problems) {
    connect(&tab_, &EmbeddingsTab::extractRequested, this, &EmbeddingsController::extract);
    connect(&state_, &WorkState::changed, this, &EmbeddingsController::refresh);
    connect(&state_, &WorkState::modelChanged, this, [this] {
        shown_paths_.clear();
        shown_edits_.clear();
        failure_.clear();
        tab_.showEmpty(emptyText(), reason().isEmpty());
    });
    connectSession();
    refresh();
}

void EmbeddingsController::connectSession() {
    connect(&session_, &SessionController::extracted, this, &EmbeddingsController::onExtracted);
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_) {
            job_ = 0;
            failure_ = failureText(failure);
            problems_.add(failure_);
            refresh();
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            job_ = 0;
            failure_ = tr("The extraction was cancelled.");
            refresh();
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (id == job_) {
                    tab_.showBusy(progressText(progress));
                }
            });
}

QString EmbeddingsController::reason() const {
    if (isRunning()) {
        return tr("The extraction is running.");
    }
    if (!state_.model()) {
        return tr("Open a model first.");
    }
    if (state_.audioPaths().isEmpty()) {
        return tr("Add audio first.");
    }
    return state_.runReason();
}

QString EmbeddingsController::emptyText() const {
    if (!failure_.isEmpty()) {
        return failure_;
    }
    const QString why = reason();
    if (!why.isEmpty()) {
        return tr("Shows what the audio encoder makes of each source, token by token.\n%1")
            .arg(why);
    }
    const QLocale locale;
    QString text = tr("Not extracted yet.");
    if (state_.prepared()) {
        text = tr("Not extracted yet: %1 vectors × %2.")
                   .arg(locale.toString(state_.prepared()->audioTokens),
                        locale.toString(state_.model()->hiddenSize));
    }
    if (!state_.edits().isEmpty()) {
        text +=
            QLatin1Char('\n') +
            tr("The next run will be edited: %1.").arg(state_.edits().join(QStringLiteral(", ")));
    }
    return text;
}

void EmbeddingsController::refresh() {
    tab_.setSourceNames(state_.audioLabels());
    tab_.setExtractReason(reason());
    tab_.setPendingEdits(state_.edits());
    if (isRunning()) {
        return;
    }
    if (!tab_.hasMatrices() || state_.audioPaths().isEmpty()) {
        tab_.showEmpty(emptyText(), state_.model() && !state_.audioPaths().isEmpty());
        shown_paths_.clear();
    } else if (shown_paths_ != state_.audioPaths()) {
        tab_.setOutdated(
            tr("The sources have changed since: extract again. What is shown belongs "
               "to the sources of before."));
    } else {
        tab_.setOutdated(failure_.isEmpty() ? otherEditsText(shown_edits_, state_.edits())
                                            : failure_);
    }
}

void EmbeddingsController::extract() {
    if (!reason().isEmpty()) {
        return;
    }
    Q_EMIT aboutToRun();
    failure_.clear();
    ExtractJob job;
    job.request = state_.request();
    job.edits = state_.edits();
    job_ = session_.extract(job);
    tab_.showBusy(tr("Waiting for the model…"));
    tab_.setExtractReason(reason());
}

void EmbeddingsController::onExtracted(const EmbeddingsValue& value) {
    if (value.id != job_) {
        return;
    }
    job_ = 0;
    summarizing_ = true;
    tab_.showBusy(tr("Preparing the picture…"));
    runInBackground(
        this, [value] { return summarize(value); },
        [this, paths = value.request.audioPaths,
         edits = value.edits](const std::vector<EmbeddingsTab::Matrix>& matrices) {
            summarizing_ = false;
            if (!state_.model() || matrices.empty()) {
                refresh();
                return;
            }
            shown_paths_ = paths;
            shown_edits_ = edits;
            tab_.setEdited(edits);
            tab_.setSourceNames(state_.audioLabels());
            tab_.setMatrices(matrices);
            refresh();
            Q_EMIT extracted();
        });
}

}  // namespace earscope
