#include "app/gui/model_controller.h"

#include "app/gui/background.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "resources/demo_paths.h"
#include "widgets/model/display_text.h"
#include "widgets/model/model_panel.h"

#include <QDir>
#include <QFileDialog>
#include <QSettings>

namespace earscope {
namespace {

constexpr const char* kDemo = "demo";
constexpr const char* kDemoMoss = "demo-moss";

}  // namespace

ModelController::ModelController(SessionController& session, WorkState& state, ModelPanel& panel,
                                 ProblemList& problems, QObject* parent)
    : QObject(parent), session_(session), state_(state), panel_(panel), problems_(problems) {
    panel_.setDtypes(supportedDtypes());
    panel_.setDemosAvailable(hasDemo(), hasDemoMoss());
    connect(&panel_, &ModelPanel::openRequested, this, &ModelController::chooseFolder);
    connect(&panel_, &ModelPanel::snapshotChosen, this, &ModelController::open);
    connect(&panel_, &ModelPanel::demoRequested, this, &ModelController::openDemo);
    connect(&panel_, &ModelPanel::demoMossRequested, this, &ModelController::openDemoMoss);
    connect(&panel_, &ModelPanel::cancelRequested, this, [this] { session_.cancel(job_); });
    connect(&panel_, &ModelPanel::closeRequested, this, [this] { session_.unload(); });
    connectSession();
}

void ModelController::connectSession() {
    connect(&session_, &SessionController::loaded, this, [this](const ModelValue& model) {
        panel_.showModel(model);
        state_.setModel(model);
    });
    connect(&session_, &SessionController::unloaded, this, [this](JobId id) {
        state_.setModel(std::nullopt);
        // 0: it made room for the model that is being loaded; that job's own ending follows.
        panel_.setModelGone();
        if (id != 0) {
            panel_.showNoModel();
        }
    });
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_) {
            panel_.showFailure(failure);
            problems_.add(failureText(failure));
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_) {
            panel_.showCancelled();
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (id == job_) {
                    panel_.setProgress(progress);
                }
            });
}

void ModelController::open(const QString& folder) {
    LoadJob job;
    job.folder = folder;
    job.device = panel_.device();
    job.dtype = panel_.dtype();
    job.attention = panel_.attention();
    job.chunkPadding = panel_.chunkPadding();
    if (panel_.isLoading()) {
        session_.cancel(job_);
    }
    panel_.showLoading(folder == QLatin1String(kDemo)       ? tr("the demonstration model")
                       : folder == QLatin1String(kDemoMoss) ? tr("the MOSS-Music demonstration")
                                                            : folder);
    job_ = session_.load(job);
}

void ModelController::openDemo() {
    open(QLatin1String(kDemo));
}

void ModelController::openDemoMoss() {
    open(QLatin1String(kDemoMoss));
}

bool ModelController::hasDemo() {
    std::error_code error;
    return std::filesystem::is_directory(*demo_snapshot(kDemo), error);
}

bool ModelController::hasDemoMoss() {
    std::error_code error;
    return std::filesystem::is_directory(*demo_snapshot(kDemoMoss), error);
}

void ModelController::chooseFolder() {
    auto* dialog = new QFileDialog(panel_.window(), tr("Open a model snapshot"), last_folder_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        last_folder_ = QFileInfo(folder).absolutePath();
        open(folder);
    });
    dialog->open();
}

void ModelController::lookAround() {
    runInBackground(
        this, [] { return availableDevices(); },
        [this](const QStringList& devices) { panel_.setDevices(devices); });
    runInBackground(
        this, [] { return cachedSnapshotFolders(); },
        [this](const QStringList& folders) {
            panel_.setCachedSnapshots(folders);
            Q_EMIT cachedFound(folders);
        });
}

void ModelController::restore(const QSettings& settings) {
    last_folder_ = settings.value(QStringLiteral("model/lastFolder"), QDir::homePath()).toString();
    panel_.setLoadOptions(
        settings.value(QStringLiteral("model/device"), QStringLiteral("auto")).toString(),
        settings.value(QStringLiteral("model/dtype"), QStringLiteral("float32")).toString(),
        settings.value(QStringLiteral("model/attention"), QStringLiteral("sdpa")).toString(),
        settings.value(QStringLiteral("model/chunkPadding"), QStringLiteral("reference"))
            .toString());
}

void ModelController::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("model/lastFolder"), last_folder_);
    settings.setValue(QStringLiteral("model/device"), panel_.device());
    settings.setValue(QStringLiteral("model/dtype"), panel_.dtype());
    settings.setValue(QStringLiteral("model/attention"), panel_.attention());
    settings.setValue(QStringLiteral("model/chunkPadding"), panel_.chunkPadding());
}

}  // namespace earscope
