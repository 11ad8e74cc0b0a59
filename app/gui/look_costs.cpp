// What is asked of the model beside the instruments' runs: writing what they found, and what a pass
// of saliency takes.
#include "app/gui/look_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/look/look_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/saliency_page.h"
#include "widgets/model/display_text.h"

#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>

namespace earscope {
namespace {

/// On the CPU a pass of a larger model is measured only when it is asked for: its first window
/// alone may take half a minute.
constexpr qint64 kQuickParameters = 500'000'000;

}  // namespace

void LookController::connectExport() {
    for (std::size_t i = 0; i < kInstruments; ++i) {
        connect(runs_[i].page, &LookPage::exportRequested, this,
                [this, i] { chooseFile(static_cast<Instrument>(i)); });
    }
    connect(&session_, &SessionController::exported, this, [this](const ExportedValue& value) {
        if (value.id != export_job_) {
            return;
        }
        const QString size = compactBytes(value.bytes);
        endWriting(value.tensors.isEmpty()
                       ? tr("Wrote %1 to %2.").arg(size, QDir::toNativeSeparators(value.file))
                       : tr("Wrote %1 (tensors: %2) to %3.")
                             .arg(size, QString::number(value.tensors.size()),
                                  QDir::toNativeSeparators(value.file)));
    });
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == export_job_) {
            problems_.add(failureText(failure));
            endWriting(failureText(failure));
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == export_job_) {
            endWriting(tr("The export was cancelled; no file was written."));
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (id != 0 && id == export_job_) {
                    runFor(exported_).page->showBusy(progressText(progress));
                }
            });
}

void LookController::chooseFile(Instrument instrument) {
    const Run& run = runFor(instrument);
    if (!run.page->hasResult() || export_job_ != 0) {
        return;
    }
    const bool json = instrument == Instrument::Alternatives;
    const QString ending = json ? QStringLiteral("json") : QStringLiteral("safetensors");
    auto* dialog = new QFileDialog(tab_.window(), tr("Export"));
    dialog->setObjectName(QStringLiteral("lookExportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(
        json ? QStringList{tr("JSON (*.json)")}
             : QStringList{tr("safetensors (*.safetensors)"), tr("NumPy arrays (*.npz)")});
    dialog->setDefaultSuffix(ending);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const QString suffix = filter.section(QLatin1String("*."), 1).chopped(1);
        dialog->setDefaultSuffix(suffix);
        if (const QStringList chosen = dialog->selectedFiles(); !chosen.isEmpty()) {
            dialog->selectFile(QFileInfo(chosen.front()).completeBaseName() + QLatin1Char('.') +
                               suffix);
        }
    });
    dialog->setDirectory(last_folder_.isEmpty() ? QDir::homePath() : last_folder_);
    const QString base = run.shown.audioPaths.isEmpty()
                             ? tr("request")
                             : QFileInfo(run.shown.audioPaths.front()).completeBaseName();
    dialog->selectFile(QStringLiteral("%1-%2.%3").arg(base, run.page->objectName(), ending));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, instrument](const QString& file) { write(instrument, file); });
    dialog->open();
}

void LookController::write(Instrument instrument, const QString& file) {
    const Run& run = runFor(instrument);
    if (export_job_ != 0 || !run.page->hasResult()) {
        return;
    }
    last_folder_ = QFileInfo(file).absolutePath();
    InstrumentExportJob job;
    job.file = file;
    job.instrument = instrument;
    job.result = run.result;
    exported_ = instrument;
    run.page->showBusy(tr("Waiting for the model…"));
    export_job_ = session_.exportInstrument(job);
    for (const Run& one : runs_) {
        one.page->setExportReason(tr("An export is running."));
    }
}

void LookController::endWriting(const QString& text) {
    export_job_ = 0;
    runFor(exported_).page->showEnded(text);
    for (const Run& one : runs_) {
        one.page->setExportReason({});
    }
}

void LookController::connectPass() {
    tab_.saliency()->installEventFilter(this);
    connect(tab_.saliency(), &SaliencyPage::measureRequested, this, [this] { measurePass(true); });
    connect(&session_, &SessionController::passEstimated, this, [this](const PassEstimate& value) {
        if (value.id == pass_job_) {
            pass_job_ = 0;
            pass_ = value;
            tab_.saliency()->setMeasuring(false);
            refreshSizes();
            measurePass(false);  // another request may have come meanwhile
        }
    });
    const auto ended = [this](JobId id, const QString& problem) {
        if (id == 0 || id != pass_job_) {
            return;
        }
        pass_job_ = 0;
        if (!problem.isEmpty()) {
            pass_ = PassEstimate();
            pass_->request = pass_asked_;
            pass_->problem = problem;
        }
        tab_.saliency()->setMeasuring(false);
        refreshSizes();
    };
    connect(&session_, &SessionController::failed, this,
            [ended](JobId id, const Failure& failure) { ended(id, failureText(failure)); });
    connect(&session_, &SessionController::cancelled, this, [ended](JobId id) { ended(id, {}); });
}

bool LookController::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) {
        measurePass(false);
    }
    return QObject::eventFilter(watched, event);
}

void LookController::measurePass(bool asked) {
    const auto& model = state_.model();
    if (pass_job_ != 0 || !state_.prepared() || !reason().isEmpty() ||
        (pass_ && sameRequest(pass_->request, state_.request()))) {
        return;
    }
    const bool quick =
        model->device != QLatin1String("cpu") || model->parameters < kQuickParameters;
    if (!asked && (!quick || !tab_.saliency()->isVisible() || isRunning())) {
        return;
    }
    PassJob job;
    job.on = instrumentRequest();
    pass_asked_ = job.on.request;
    tab_.saliency()->setMeasuring(true);
    pass_job_ = session_.estimatePass(job);
}

}  // namespace earscope
