#include "app/gui/export_controller.h"

#include "app/gui/export_dialog.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/model/display_text.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QWidget>

namespace earscope {

ExportController::ExportController(SessionController& session, WorkState& state,
                                   ProblemList& problems, QWidget& window, QObject* parent)
    : QObject(parent),
      session_(session),
      state_(state),
      problems_(problems),
      window_(window),
      last_folder_(QDir::homePath()) {
    connect(&session_, &SessionController::exported, this, [this](const ExportedValue& value) {
        if (value.id == job_) {
            QString text = tr("Wrote %1 (tensors: %2) to %3")
                               .arg(compactBytes(value.bytes))
                               .arg(value.tensors.size())
                               .arg(value.file);
            if (!value.edits.isEmpty()) {
                text += tr(", EDITED");
            }
            finish(text);
            Q_EMIT exported(value.file);
        }
    });
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_) {
            problems_.add(failureText(failure));
            finish(failureText(failure));
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            finish(tr("The export was cancelled; no file was written."));
        }
    });
}

ExportDialog* ExportController::dialog() const {
    return dialog_;
}

QString ExportController::reason() const {
    if (isRunning()) {
        return tr("An export is running.");
    }
    QString why = state_.runReason();
    if (!why.isEmpty()) {
        return why;
    }
    return state_.prepared() ? QString() : tr("Nothing is prepared yet.");
}

QString ExportController::suggestedFile() const {
    const QString base = state_.audioPaths().isEmpty()
                             ? tr("request")
                             : QFileInfo(state_.audioPaths().front()).completeBaseName();
    const QString name =
        state_.edits().isEmpty() ? tr("%1-earscope").arg(base) : tr("%1-earscope-edited").arg(base);
    QDir folder(last_folder_);
    QString file = folder.filePath(name + QStringLiteral(".safetensors"));
    for (int i = 2; QFileInfo::exists(file) && i < 1'000; ++i) {
        file = folder.filePath(QStringLiteral("%1-%2.safetensors").arg(name).arg(i));
    }
    return file;
}

void ExportController::openDialog() {
    if (dialog_ || !reason().isEmpty()) {
        return;
    }
    dialog_ = new ExportDialog(estimateExport(*state_.model(), *state_.prepared()), suggestedFile(),
                               &window_);
    dialog_->setEdits(state_.edits());
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog_, &ExportDialog::exportRequested, this,
            [this, request = state_.request(), edits = state_.edits()] {
                ExportJob job;
                job.file = dialog_->file();
                job.request = request;
                job.edits = edits;
                job.inputs = dialog_->inputs();
                job.embeddings = dialog_->embeddings();
                job.contextualLayers = dialog_->layers();
                run(job);
            });
    dialog_->open();
}

void ExportController::run(const ExportJob& job) {
    last_folder_ = QFileInfo(job.file).absolutePath();
    job_ = session_.exportTensors(job);
    Q_EMIT runningChanged(true);
}

void ExportController::finish(const QString& text) {
    job_ = 0;
    Q_EMIT message(text);
    Q_EMIT runningChanged(false);
}

void ExportController::restore(const QSettings& settings) {
    last_folder_ = settings.value(QStringLiteral("export/lastFolder"), QDir::homePath()).toString();
}

void ExportController::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("export/lastFolder"), last_folder_);
}

}  // namespace earscope
