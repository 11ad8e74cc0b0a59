#pragma once
#include "core/bridge/values.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>

namespace earscope {

/// What the window works on: model, sources, prompt, and what was prepared from them. The feature
/// controllers share it and hear of changes by its signals.
class WorkState : public QObject {
    Q_OBJECT
public:
    using Prepared = std::shared_ptr<const PreparedValue>;

    using QObject::QObject;

    const std::optional<ModelValue>& model() const { return model_; }
    const QString& prompt() const { return prompt_; }
    const QStringList& audioPaths() const { return audio_paths_; }
    const QStringList& audioLabels() const { return audio_labels_; }
    /// Why the sources cannot be used as they are (still read, unreadable), or an empty text.
    const QString& sourcesReason() const { return sources_reason_; }
    /// Belongs to the present model, sources and prompt, or is null.
    const Prepared& prepared() const { return prepared_; }
    /// Why the request could not be prepared, or an empty text.
    const QString& problem() const { return problem_; }
    RequestValue request() const { return {prompt_, audio_paths_}; }
    /// In force in everything that is run from now on, as written for earscope-cli.
    const QStringList& edits() const { return edits_; }
    /// Family of the model, or an empty text.
    QString family() const { return model_ ? model_->family : QString(); }
    /// Why nothing can be run on the model now, or an empty text.
    QString runReason() const;

    void setModel(std::optional<ModelValue> model);
    void setPrompt(const QString& prompt);
    void setSources(const QStringList& paths, const QStringList& labels, const QString& reason);
    void setPrepared(Prepared prepared);
    void setProblem(const QString& problem);
    void setEdits(const QStringList& edits);

Q_SIGNALS:
    void modelChanged();
    void promptChanged();
    /// Paths or their order changed.
    void sourcesChanged();
    /// Labels or the reason changed.
    void sourceDetailsChanged();
    void preparedChanged();
    void problemChanged();
    void editsChanged();
    /// Anything above: for what depends on all of it.
    void changed();

private:
    void dropPrepared();

    std::optional<ModelValue> model_;
    QString prompt_;
    QStringList audio_paths_;
    QStringList audio_labels_;
    QString sources_reason_;
    Prepared prepared_;
    QString problem_;
    QStringList edits_;
};

bool sameRequest(const RequestValue& a, const RequestValue& b);

}  // namespace earscope
