#include "app/gui/work_state.h"

namespace earscope {

bool sameRequest(const RequestValue& a, const RequestValue& b) {
    return a.prompt == b.prompt && a.audioPaths == b.audioPaths;
}

QString WorkState::runReason() const {
    if (!model_) {
        return tr("Open a model first.");
    }
    return sources_reason_.isEmpty() ? problem_ : sources_reason_;
}

void WorkState::dropPrepared() {
    if (prepared_) {
        prepared_.reset();
        Q_EMIT preparedChanged();
    }
    if (!problem_.isEmpty()) {
        problem_.clear();
        Q_EMIT problemChanged();
    }
}

void WorkState::setModel(std::optional<ModelValue> model) {
    model_ = std::move(model);
    dropPrepared();
    Q_EMIT modelChanged();
    Q_EMIT changed();
}

void WorkState::setPrompt(const QString& prompt) {
    if (prompt == prompt_) {
        return;
    }
    prompt_ = prompt;
    dropPrepared();
    Q_EMIT promptChanged();
    Q_EMIT changed();
}

void WorkState::setSources(const QStringList& paths, const QStringList& labels,
                           const QString& reason) {
    const bool otherPaths = paths != audio_paths_;
    const bool otherDetails = labels != audio_labels_ || reason != sources_reason_;
    audio_paths_ = paths;
    audio_labels_ = labels;
    sources_reason_ = reason;
    if (otherPaths) {
        dropPrepared();
        Q_EMIT sourcesChanged();
    }
    if (otherDetails) {
        Q_EMIT sourceDetailsChanged();
    }
    if (otherPaths || otherDetails) {
        Q_EMIT changed();
    }
}

void WorkState::setPrepared(Prepared prepared) {
    const bool hadProblem = !problem_.isEmpty();
    prepared_ = std::move(prepared);
    problem_.clear();
    if (hadProblem) {
        Q_EMIT problemChanged();
    }
    Q_EMIT preparedChanged();
    Q_EMIT changed();
}

void WorkState::setProblem(const QString& problem) {
    const bool hadPrepared = prepared_ != nullptr;
    prepared_.reset();
    problem_ = problem;
    if (hadPrepared) {
        Q_EMIT preparedChanged();
    }
    Q_EMIT problemChanged();
    Q_EMIT changed();
}

void WorkState::setEdits(const QStringList& edits) {
    if (edits == edits_) {
        return;
    }
    edits_ = edits;
    Q_EMIT editsChanged();
    Q_EMIT changed();
}

}  // namespace earscope
