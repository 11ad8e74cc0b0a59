#include "app/gui/look_controller.h"

#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/look/alternatives_page.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/cursor_bar.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/probe_form.h"
#include "widgets/look/probes_page.h"
#include "widgets/look/saliency_page.h"
#include "widgets/model/display_text.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/signal/signal_view.h"

#include <algorithm>
#include <tuple>

namespace earscope {

LookController::LookController(SessionController& session, WorkState& state, PromptPanel& prompt,
                               const Views& views, ProblemList& problems, QObject* parent)
    : QObject(parent),
      session_(session),
      state_(state),
      prompt_(prompt),
      tab_(views.tab),
      signal_(views.signal),
      problems_(problems) {
    runFor(Instrument::Lens).page = tab_.lens();
    runFor(Instrument::Attention).page = tab_.attention();
    runFor(Instrument::Saliency).page = tab_.saliency();
    runFor(Instrument::Alternatives).page = tab_.alternatives();
    runFor(Instrument::Layers).page = tab_.layers();
    runFor(Instrument::Probes).page = tab_.probes();
    connect(&state_, &WorkState::changed, this, &LookController::refresh);
    connect(&state_, &WorkState::modelChanged, this, &LookController::clearResults);
    connect(&state_, &WorkState::preparedChanged, this, [this] {
        if (state_.prepared()) {
            tokens_ = std::make_shared<const std::vector<TokenValue>>(state_.prepared()->tokens);
            tab_.cursorBar()->setTokens(tokens_);
            tab_.probes()->setTokens(tokens_);
            tab_.attention()->setTokens(tokens_);
            estimateProbes();
            measurePass(false);
        }
    });
    connectPages();
    connectEndings();
    connectResults();
    connectAnswers();
    connectLaidOver();
    connectMaps();
    connectExport();
    connectPass();
    refresh();
}

InstrumentRequest LookController::instrumentRequest() const {
    const PromptSettings settings = prompt_.settings();
    InstrumentRequest request;
    request.request = state_.request();
    request.edits = tab_.probes()->edits();
    request.profile = settings.profile;
    request.maxNewTokens = settings.budget;
    request.seed = settings.seed;
    return request;
}

QString LookController::reason() const {
    if (!state_.model()) {
        return tr("Open a model first.");
    }
    if (state_.audioPaths().isEmpty()) {
        return tr("Add audio first.");
    }
    return state_.runReason();
}

bool LookController::isRunning() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.job != 0; });
}

void LookController::start(Instrument instrument,
                           const std::function<JobId(const InstrumentRequest&)>& post) {
    Run& run = runFor(instrument);
    if (run.job != 0 || !reason().isEmpty()) {
        return;
    }
    session_.cancel(pass_job_);  // what is asked for goes first
    Q_EMIT aboutToRun();
    const InstrumentRequest request = instrumentRequest();
    run.asked = request.request;
    run.asked_edits = request.edits;
    run.page->showBusy(tr("Waiting for the model…"));
    run.job = post(request);
}

LookController::Run* LookController::runOf(JobId id) {
    const auto found = std::find_if(runs_.begin(), runs_.end(),
                                    [id](const Run& run) { return id != 0 && run.job == id; });
    return found == runs_.end() ? nullptr : &*found;
}

bool LookController::arrived(Instrument instrument, JobId id) {
    Run& run = runFor(instrument);
    if (id == 0 || run.job != id) {
        return false;
    }
    run.job = 0;
    run.result = id;
    run.shown = run.asked;
    run.edits = run.asked_edits;
    return true;
}

void LookController::connectPages() {
    connect(tab_.lens(), &LookPage::runRequested, this, [this] {
        start(Instrument::Lens, [this](const InstrumentRequest& on) {
            LensJob job;
            job.on = on;
            job.layers = tab_.lens()->layers();
            job.positions = tab_.lens()->positions();
            job.topK = tab_.lens()->topK();
            return session_.lens(job);
        });
    });
    connect(tab_.attention(), &LookPage::runRequested, this, [this] {
        start(Instrument::Attention, [this](const InstrumentRequest& on) {
            AttentionJob job;
            job.on = on;
            job.layers = tab_.attention()->layers();
            job.heads = tab_.attention()->heads();
            std::tie(job.firstRow, job.endRow) = tab_.attention()->span();
            return session_.attend(job);
        });
    });
    connect(tab_.saliency(), &LookPage::runRequested, this, [this] {
        start(Instrument::Saliency, [this](const InstrumentRequest& on) {
            SaliencyJob job;
            job.on = on;
            job.token = tab_.saliency()->token();
            job.method = tab_.saliency()->method();
            return session_.saliency(job);
        });
    });
    connect(tab_.alternatives(), &LookPage::runRequested, this, [this] { continueAnswer(-1, 0); });
    connect(tab_.alternatives(), &AlternativesPage::continueRequested, this,
            &LookController::continueAnswer);
    connect(tab_.layers(), &LookPage::runRequested, this, [this] {
        start(Instrument::Layers, [this](const InstrumentRequest& on) {
            LayersJob job;
            job.on = on;
            job.layers = tab_.layers()->layers();
            return session_.layers(job);
        });
    });
    connect(tab_.layers(), &LayersPage::viewWanted, this, &LookController::makeView);
    connect(tab_.probes(), &LookPage::runRequested, this, [this] {
        start(Instrument::Probes, [this](const InstrumentRequest& on) {
            ProbeJob job;
            job.on = on;
            job.probes = tab_.probes()->probes();
            job.statisticsOnly = tab_.probes()->statisticsOnly();
            return session_.probe(job);
        });
    });
    connect(tab_.probes(), &ProbesPage::captureWanted, this, &LookController::mapCapture);
    connect(tab_.probes(), &ProbesPage::probesChanged, this, &LookController::estimateProbes);
    connect(tab_.probes(), &ProbesPage::editsChanged, this, [this] {
        tab_.saliency()->setAnswer({});  // it was one under other edits
        refresh();
        Q_EMIT editsChanged(tab_.probes()->edits());
    });
}

void LookController::continueAnswer(int token, qint64 id) {
    start(Instrument::Alternatives, [this, token, id](const InstrumentRequest& on) {
        AlternativesJob job;
        job.on = on;
        job.topK = tab_.alternatives()->topK();
        job.continueToken = token;
        job.continueId = id;
        return session_.alternatives(job);
    });
}

void LookController::connectEndings() {
    connect(&session_, &SessionController::failed, this, [this](JobId id, const Failure& failure) {
        if (Run* run = runOf(id)) {
            run->job = 0;
            problems_.add(failureText(failure));
            run->page->showEnded(failureText(failure));
            refresh();
        } else if (id != 0 && id == estimate_job_) {
            estimate_job_ = 0;
            ProbeEstimate refused;
            refused.problem = failure.message;
            tab_.probes()->setProbeEstimate(refused);
        }
    });
    connect(&session_, &SessionController::cancelled, this, [this](JobId id) {
        if (Run* run = runOf(id)) {
            run->job = 0;
            run->page->showEnded(tr("Cancelled."));
            refresh();
        } else if (id != 0 && id == estimate_job_) {
            estimate_job_ = 0;
        }
    });
    connect(&session_, &SessionController::progressed, this,
            [this](JobId id, const Progress& progress) {
                if (Run* run = runOf(id)) {
                    run->page->showBusy(progressText(progress));
                }
            });
}

void LookController::refresh() {
    tab_.setSourceNames(state_.audioLabels());
    refreshSizes();
    for (Run& run : runs_) {
        refreshPage(run);
    }
    const QString why = reason();
    tab_.alternatives()->setContinueReason(
        !why.isEmpty() ? why
        : sameRequest(runFor(Instrument::Alternatives).shown, state_.request())
            ? QString()
            : tr("The request has changed: generate again first."));
    layOver();
}

void LookController::refreshPage(Run& run) {
    const QString why = reason();
    run.page->setRunReason(why);
    run.page->setPendingEdits(tab_.probes()->edits());
    if (!run.page->hasResult()) {
        const EmptyAction action = !state_.model()                 ? EmptyAction::OpenModel
                                   : state_.audioPaths().isEmpty() ? EmptyAction::AddAudio
                                                                   : EmptyAction::Run;
        run.page->showEmpty(why, action);
        return;
    }
    const bool same = sameRequest(run.shown, state_.request());
    QString outdated;
    if (!same) {
        outdated = tr("Prompt or sources have changed since: this belongs to those of before.");
    } else {
        outdated = otherEditsText(run.edits, tab_.probes()->edits());
    }
    run.page->setOutdated(outdated);
}

void LookController::refreshSizes() {
    const auto& prepared = state_.prepared();
    const auto& model = state_.model();
    if (!prepared || !model) {
        return;
    }
    double seconds = 0;
    for (const PreparedSource& source : prepared->sources) {
        seconds += source.durationSeconds;
    }
    tab_.lens()->setPositions(prepared->promptTokens, prepared->audioTokens);
    tab_.layers()->setPositions(prepared->promptTokens);
    tab_.saliency()->setSizes(prepared->promptTokens, seconds);
    const bool known = pass_ && sameRequest(pass_->request, state_.request());
    tab_.saliency()->setPass(known ? pass_ : std::nullopt);
}

void LookController::clearResults() {
    for (Run& run : runs_) {
        run.shown = {};
        run.result = 0;
        run.edits.clear();
    }
    pass_.reset();
    tab_.saliency()->setPass(std::nullopt);
    tab_.saliency()->setSizes(0, 0);
    probed_.reset();
    layers_.reset();
    extracted_.reset();
    tab_.lens()->setLens(nullptr);
    tab_.attention()->setAttention(nullptr);
    tab_.saliency()->setSaliency(nullptr);
    tab_.saliency()->setAnswer({});
    tab_.alternatives()->setAlternatives(nullptr);
    tab_.layers()->setData(nullptr);
    tab_.probes()->setProbed(nullptr);
    tokens_.reset();
    tab_.cursorBar()->setTokens(nullptr);
    tab_.probes()->setTokens(nullptr);
    tab_.attention()->setTokens(nullptr);
    const auto& model = state_.model();
    QStringList modules;
    if (model) {
        tab_.lens()->setModel(model->layers);
        tab_.attention()->setModel(model->layers);
        tab_.layers()->setModel(model->layers, model->hiddenSize);
        for (const ModuleEntry& module : model->modules) {
            if (!module.name.isEmpty()) {
                modules << module.name;
            }
        }
    }
    tab_.probes()->setModules(modules);
    // So that one press on Add begins.
    tab_.probes()->form()->setModule(model ? QStringLiteral("layers:%1-%1").arg(model->layers / 2)
                                           : QString());
}

}  // namespace earscope
