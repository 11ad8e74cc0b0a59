#include "app/gui/compare_controller.h"

#include "app/gui/background.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "resources/demo_paths.h"
#include "widgets/compare/answers_tab.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/compare/states_view.h"
#include "widgets/model/display_text.h"
#include "widgets/model/model_panel.h"
#include "widgets/prompt/prompt_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>
#include <QSettings>

#include <utility>

namespace earscope {

CompareController::CompareController(SessionController& session, WorkState& state,
                                     PromptPanel& prompt, Tabs tabs, ProblemList& problems,
                                     QWidget& window, QObject* parent)
    : QObject(parent),
      session_(session),
      state_(state),
      prompt_(prompt),
      answers_(tabs.answers),
      compare_(tabs.compare),
      problems_(problems),
      window_(window),
      last_folder_(QDir::homePath()) {
    answers_.setModel(&runs_);
    compare_.setModel(&runs_);
    connect(&state_, &WorkState::changed, this, &CompareController::refresh);
    connectSession();
    connectTabs();
    refresh();
    showStates();
}

void CompareController::connectSession() {
    connect(&session_, &SessionController::generated, this,
            [this](const GenerationValue& value) { keep(value.record, value.request); });
    connect(&session_, &SessionController::attended, this,
            [this](const AttentionValue& value) { keep(value.record, value.request); });
    connect(&session_, &SessionController::alternativesListed, this,
            [this](const AlternativesValue& value) { keep(value.record, value.request); });
    connect(&session_, &SessionController::compared, this, &CompareController::onCompared);
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (id == job_ && job_ != 0) {
            problems_.add(failureText(failure));
            end(tr("⚠ %1").arg(failureText(failure)));
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (id == job_ && job_ != 0) {
            end(tr("Stopped; nothing of it was kept."));
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (id == job_ && job_ != 0) {
                    compare_.setNotice(runningText().arg(progressText(progress)));
                }
            });
}

void CompareController::connectTabs() {
    connect(&answers_, &AnswersTab::chosenAsA, this,
            [this](int row) { compare_.setChosen(row, compare_.chosenB()); });
    connect(&answers_, &AnswersTab::chosenAsB, this,
            [this](int row) { compare_.setChosen(compare_.chosenA(), row); });
    connect(&answers_, &AnswersTab::compareRequested, this, &CompareController::showRequested);
    connect(&compare_, &CompareTab::chosenChanged, this, &CompareController::showChosen);
    connect(&compare_, &CompareTab::runBothRequested, this, &CompareController::runBothProfiles);
    connect(&compare_, &CompareTab::withAndWithoutRequested, this,
            &CompareController::runWithAndWithoutEdits);
    connect(&compare_, &CompareTab::changedCopyRequested, this,
            &CompareController::openChangedCopy);
    connect(&compare_, &CompareTab::otherModelRequested, this, &CompareController::openOtherModel);
    connect(&compare_, &CompareTab::copyRequested, this, &CompareController::copyMarkdown);
    connect(&compare_, &CompareTab::exportRequested, this, &CompareController::openExport);
    connect(compare_.states(), &StatesView::computeRequested, this,
            &CompareController::computeStates);
    connect(compare_.states(), &StatesView::pictureRequested, this,
            &CompareController::makeShownPicture);
}

QString CompareController::reason() const {
    return isRunning() ? tr("A comparison is running.") : state_.runReason();
}

void CompareController::refresh() {
    compare_.setRunReason(reason());
    compare_.setEdits(state_.edits());
    if (kept_.a < 0 || kept_.a != compare_.chosenA() || kept_.b != compare_.chosenB()) {
        showStates();
    }
}

void CompareController::keep(const RunPointer& run, const RequestValue& request) {
    if (!run) {
        return;
    }
    RunSpec spec;
    spec.folder = QString::fromStdString(run->folder);
    spec.profile = QString::fromStdString(run->profile);
    spec.maxNewTokens = static_cast<int>(run->max_new_tokens);
    spec.seed = run->seed;
    for (const std::string& edit : run->edits) {
        spec.edits << QString::fromStdString(edit);
    }
    append(run, {request, spec});
}

int CompareController::append(const RunPointer& run, const Origin& origin) {
    origins_.push_back(origin);
    runs_.append(run);
    return runs_.rowCount() - 1;
}

RunSpec CompareController::presentSpec() const {
    const PromptSettings settings = prompt_.settings();
    RunSpec spec;
    spec.profile = settings.profile;
    spec.maxNewTokens = settings.budget;
    spec.seed = settings.seed;
    spec.edits = state_.edits();
    return spec;
}

void CompareController::runBothProfiles() {
    RunSpec greedy = presentSpec();
    RunSpec sampled = greedy;
    greedy.profile = QStringLiteral("paper_reference");
    sampled.profile = QStringLiteral("generic_sampled");
    run(greedy, sampled);
}

void CompareController::runWithAndWithoutEdits() {
    if (state_.edits().isEmpty()) {
        return;
    }
    RunSpec plain = presentSpec();
    plain.edits.clear();
    run(plain, presentSpec());
}

QString CompareController::runningText() const {
    if (asked_.a.edits == asked_.b.edits) {
        return asked_.a.edits.isEmpty() ? tr("Running A, then B. %1")
                                        : tr("Running A, then B, both EDITED. %1");
    }
    return tr("Running A, then B; one of them is EDITED. %1");
}

void CompareController::run(const RunSpec& a, const RunSpec& b) {
    if (!reason().isEmpty()) {
        return;
    }
    Q_EMIT aboutToRun();
    CompareJob job;
    job.request = state_.request();
    job.a = a;
    job.b = b;
    job.states = compare_.statesWanted();
    start(std::move(job), false);
    Q_EMIT showRequested();
}

void CompareController::start(CompareJob job, bool statesOnly) {
    if (job.states) {
        job.layers = layersToCompare();
    }
    states_only_ = statesOnly;
    asked_ = job;
    job_ = session_.compare(std::move(job));
    compare_.setNotice(tr("Waiting for the model…"));
    refresh();
    Q_EMIT runningChanged(true);
}

std::vector<int> CompareController::layersToCompare() const {
    const int last = state_.model() ? state_.model()->layers : 0;
    std::vector<int> layers{0};
    for (const int layer : {last / 2, last}) {
        if (layer > layers.back()) {
            layers.push_back(layer);
        }
    }
    return layers;
}

void CompareController::onCompared(const ComparedValue& value) {
    if (value.id != job_) {
        return;
    }
    if (!value.modelLost.isEmpty()) {
        problems_.add(tr("The model of before could not be opened again: %1").arg(value.modelLost));
    }
    if (states_only_) {
        kept_.statesA = value.statesA;
        kept_.statesB = value.statesB;
        end({});
        showStates();
        return;
    }
    const auto origin = [this](RunSpec spec, const RunPointer& run) {
        spec.folder = QString::fromStdString(run->folder);
        return Origin{asked_.request, spec};
    };
    const int a = append(value.a, origin(asked_.a, value.a));
    const int b = append(value.b, origin(asked_.b, value.b));
    if (asked_.states) {
        kept_ = {a, b, value.statesA, value.statesB};
    }
    end({});
    compare_.setChosen(a, b);
}

void CompareController::end(const QString& notice) {
    job_ = 0;
    compare_.setNotice(notice);
    refresh();
    Q_EMIT runningChanged(false);
}

void CompareController::showChosen() {
    const int a = compare_.chosenA();
    const int b = compare_.chosenB();
    comparison_.reset();
    const quint64 asked = ++shown_;
    if (a == kept_.b && b == kept_.a) {
        std::swap(kept_.a, kept_.b);
        std::swap(kept_.statesA, kept_.statesB);
    }
    showStates();
    const RunPointer runA = a >= 0 ? runs_.run(a) : nullptr;
    const RunPointer runB = b >= 0 ? runs_.run(b) : nullptr;
    if (!runA || !runB) {
        compare_.setRuns(runA, runB, std::nullopt);
        return;
    }
    runInBackground(
        this, [runA, runB] { return compare_runs(*runA, *runB); },
        [this, runA, runB, asked](const Comparison& comparison) {
            if (asked == shown_) {
                comparison_ = comparison;
                compare_.setRuns(runA, runB, comparison_);
                Q_EMIT compared();
            }
        });
}

QString CompareController::statesReason() const {
    const int a = compare_.chosenA();
    const int b = compare_.chosenB();
    if (a < 0 || b < 0) {
        return tr("Choose two runs.");
    }
    if (isRunning()) {
        return tr("A comparison is running.");
    }
    const Origin& originA = origins_[static_cast<std::size_t>(a)];
    if (!sameRequest(originA.request, origins_[static_cast<std::size_t>(b)].request)) {
        return tr(
            "These runs asked different things; heatmaps compare one request under two "
            "models.");
    }
    return originA.request.audioPaths.isEmpty()
               ? tr("Without audio there are no embeddings to compare.")
               : QString();
}

void CompareController::showStates() {
    StatesView& view = *compare_.states();
    const bool kept =
        kept_.a >= 0 && kept_.a == compare_.chosenA() && kept_.b == compare_.chosenB();
    const auto keys = kept ? pictureKeys(kept_.statesA, kept_.statesB) : std::vector<PictureKey>();
    if (!keys.empty()) {
        view.setKeys(keys);
        return;
    }
    const QString why = statesReason();
    view.showEmpty(
        why.isEmpty() ? tr("Embeddings and hidden states of these runs were not kept.") : why,
        why.isEmpty());
}

void CompareController::computeStates() {
    if (isRunning() || !statesReason().isEmpty()) {
        return;
    }
    const auto a = static_cast<std::size_t>(compare_.chosenA());
    const auto b = static_cast<std::size_t>(compare_.chosenB());
    CompareJob job;
    job.request = origins_[a].request;
    job.a = origins_[a].spec;
    job.b = origins_[b].spec;
    // The states are those of the prompt: one token is enough, and it is not kept as a run.
    job.a.maxNewTokens = 1;
    job.b.maxNewTokens = 1;
    job.states = true;
    kept_ = {compare_.chosenA(), compare_.chosenB(), {}, {}};
    start(std::move(job), true);
}

void CompareController::makeShownPicture(const PictureKey& key) {
    const quint64 asked = ++pictured_;
    runInBackground(
        this,
        [a = kept_.statesA, b = kept_.statesB, key] {
            return std::make_shared<const StatePicture>(makePicture(a, b, key));
        },
        [this, asked](const StatesView::Picture& picture) {
            if (asked == pictured_) {
                compare_.states()->setPicture(picture);
            }
        });
}

void CompareController::openChangedCopy() {
    if (!reason().isEmpty()) {
        return;
    }
    auto* dialog = new ChangedCopyDialog(presentSpec(), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { run(presentSpec(), dialog->spec()); });
    dialog->open();
}

void CompareController::openOtherModel() {
    if (!reason().isEmpty() || other_dialog_) {
        return;
    }
    std::vector<ModelChoice> choices;
    std::error_code error;
    for (const auto& [word, title] :
         {std::pair("demo", tr("Demonstration model: Music Flamingo")),
          std::pair("demo-moss", tr("Demonstration model: MOSS-Music"))}) {
        if (std::filesystem::is_directory(*demo_snapshot(word), error)) {
            choices.push_back({title, QLatin1String(word)});
        }
    }
    for (const QString& folder : std::as_const(cached_)) {
        choices.push_back({ModelPanel::titleOfFolder(folder), folder});
    }
    other_dialog_ = new OtherModelDialog(choices, &window_);
    other_dialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(other_dialog_, &OtherModelDialog::browseRequested, this, [this] {
        auto* files = new QFileDialog(other_dialog_, tr("Open a model snapshot"), last_folder_);
        files->setAttribute(Qt::WA_DeleteOnClose);
        files->setFileMode(QFileDialog::Directory);
        files->setOption(QFileDialog::ShowDirsOnly);
        connect(files, &QFileDialog::fileSelected, other_dialog_, &OtherModelDialog::setFolder);
        files->open();
    });
    connect(other_dialog_, &QDialog::accepted, this, [this] {
        RunSpec other = presentSpec();
        other.folder = other_dialog_->folder();
        run(presentSpec(), other);
    });
    other_dialog_->open();
}

void CompareController::copyMarkdown() {
    if (comparison_) {
        QApplication::clipboard()->setText(QString::fromStdString(comparison_markdown(
            *runs_.run(compare_.chosenA()), *runs_.run(compare_.chosenB()), *comparison_)));
        Q_EMIT message(tr("The comparison was copied as Markdown."));
    }
}

void CompareController::openExport() {
    if (!comparison_) {
        return;
    }
    auto* dialog = new QFileDialog(&window_, tr("Export the comparison"), last_folder_);
    dialog->setObjectName(QStringLiteral("exportComparisonDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("JSON (*.json)"), tr("Markdown (*.md)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QStringLiteral("comparison.json"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.contains(QLatin1String("*.md")) ? QStringLiteral("md")
                                                                        : QStringLiteral("json"));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &CompareController::exportTo);
    dialog->open();
}

bool CompareController::exportTo(const QString& file) {
    if (!comparison_) {
        return false;
    }
    const RunRecord& a = *runs_.run(compare_.chosenA());
    const RunRecord& b = *runs_.run(compare_.chosenB());
    last_folder_ = QFileInfo(file).absolutePath();
    const bool markdown = file.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
    const std::string text =
        markdown ? comparison_markdown(a, b, *comparison_) : comparison_json(a, b, *comparison_);
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) ||
        out.write(text.data(), static_cast<qint64>(text.size())) < 0 || !out.commit()) {
        problems_.add(failureText({FailureKind::Export, out.errorString()}));
        compare_.setNotice(tr("⚠ %1").arg(failureText({FailureKind::Export, out.errorString()})));
        return false;
    }
    compare_.setNotice({});
    Q_EMIT message(tr("Wrote the comparison to %1").arg(file));
    return true;
}

void CompareController::restore(const QSettings& settings) {
    last_folder_ =
        settings.value(QStringLiteral("compare/lastFolder"), QDir::homePath()).toString();
}

void CompareController::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("compare/lastFolder"), last_folder_);
}

}  // namespace earscope
