#include "app/gui/main_window.h"

#include "app/gui/compare_controller.h"
#include "app/gui/embeddings_controller.h"
#include "app/gui/export_controller.h"
#include "app/gui/generate_controller.h"
#include "app/gui/look_controller.h"
#include "app/gui/model_controller.h"
#include "app/gui/prepare_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/signal_controller.h"
#include "app/gui/sources_controller.h"
#include "app/gui/status_strip.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_actions.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "resources/demo_paths.h"
#include "widgets/compare/answers_tab.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/compare/states_view.h"
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/model/model_panel.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/signal/signal_view.h"
#include "widgets/sources/record_bar.h"
#include "widgets/sources/sources_panel.h"
#include "widgets/tokens/tokens_tab.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

namespace earscope {
namespace {

QDockWidget* addDock(QMainWindow& window, const QString& name, const QString& title,
                     QWidget* content, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, &window);
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                      QDockWidget::DockWidgetClosable);
    window.addDockWidget(area, dock);
    return dock;
}

/// What a first run asks the demonstration models about: a single sound, as both know it well.
QStringList demoClips() {
    return {QFile::decodeName((demo_folder() / "clips/one-note.wav").c_str())};
}

bool isModelFolder(const QString& path) {
    return QFileInfo(path).isDir();
}

}  // namespace

MainWindow::MainWindow(const AppPaths& paths, QWidget* parent)
    : QMainWindow(parent),
      paths_(paths),
      session_(std::make_unique<SessionController>()),
      state_(std::make_unique<WorkState>()),
      cursor_(std::make_unique<CursorModel>()) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("Earscope"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    buildPanels();
    buildDocks();
    buildCentre();
    buildControllers();
    connectActions();
    connectCompare();
    connectTools();
    connectLook();
    connectStatus();
    resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    first_layout_ = saveState();
    restoreSettings();
    refreshActions();
    refreshStatus();
    model_->lookAround();
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow() {
    qApp->removeEventFilter(this);
    // Nothing may arrive at panels that are being destroyed, so the controllers go first.
    for (QObject* controller : std::initializer_list<QObject*>{
             look_, signal_, compare_, export_, extract_, generate_, prepare_, sources_, model_}) {
        delete controller;
    }
    session_->disconnect();
    session_.reset();
}

ProblemList& MainWindow::problems() {
    return *status_->problems();
}

void MainWindow::buildPanels() {
    model_panel_ = new ModelPanel(this);
    model_panel_->setObjectName(QStringLiteral("modelPanel"));
    sources_panel_ = new SourcesPanel(this);
    sources_panel_->setObjectName(QStringLiteral("sourcesPanel"));
    record_bar_ = new RecordBar(this);
    record_bar_->setObjectName(QStringLiteral("recordBar"));
    record_bar_->setFolder(paths_.recordings);
    sources_panel_->setRecordingControls(record_bar_);
    prompt_panel_ = new PromptPanel(this);
    prompt_panel_->setObjectName(QStringLiteral("promptPanel"));
    status_ = new StatusStrip(this);
    setStatusBar(status_);
    actions_ = new WindowActions(*this);
}

void MainWindow::buildDocks() {
    QDockWidget* model = addDock(*this, QStringLiteral("modelDock"), tr("Model"), model_panel_,
                                 Qt::LeftDockWidgetArea);
    QDockWidget* sources = addDock(*this, QStringLiteral("sourcesDock"), tr("Sources"),
                                   sources_panel_, Qt::LeftDockWidgetArea);
    QDockWidget* prompt = addDock(*this, QStringLiteral("promptDock"), tr("Prompt and run"),
                                  prompt_panel_, Qt::RightDockWidgetArea);
    resizeDocks({model, prompt}, {310, 350}, Qt::Horizontal);
    resizeDocks({model, sources}, {480, 360}, Qt::Vertical);
    actions_->place(*this, {model->toggleViewAction(), sources->toggleViewAction(),
                            prompt->toggleViewAction()});
}

void MainWindow::buildCentre() {
    signal_view_ = new SignalView(this);
    signal_view_->setObjectName(QStringLiteral("signalView"));
    tokens_tab_ = new TokensTab(this);
    tokens_tab_->setObjectName(QStringLiteral("tokensTab"));
    tokens_tab_->setCursorModel(cursor_.get());
    embeddings_tab_ = new EmbeddingsTab(this);
    embeddings_tab_->setObjectName(QStringLiteral("embeddingsTab"));
    embeddings_tab_->setCursorModel(cursor_.get());
    answers_tab_ = new AnswersTab(this);
    answers_tab_->setObjectName(QStringLiteral("answersTab"));
    compare_tab_ = new CompareTab(this);
    compare_tab_->setObjectName(QStringLiteral("compareTab"));
    compare_tab_->states()->setCursorModel(cursor_.get());
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(QStringLiteral("tabs"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(tokens_tab_, tr("Tokens"));
    tabs_->addTab(embeddings_tab_, tr("Embeddings"));
    buildLook();
    tabs_->addTab(answers_tab_, tr("Answers"));
    tabs_->addTab(compare_tab_, tr("Compare"));
    centre_ = new QSplitter(Qt::Vertical, this);
    centre_->addWidget(signal_view_);
    centre_->addWidget(tabs_);
    centre_->setChildrenCollapsible(false);
    centre_->setStretchFactor(0, 1);
    centre_->setStretchFactor(1, 1);
    welcome_ = new WelcomePage(this);
    welcome_->setDemosAvailable(ModelController::hasDemo(), ModelController::hasDemoMoss());
    if (!ModelController::hasDemoMoss()) {
        actions_->openDemoMoss->setVisible(false);
    }
    centre_pages_ = new QStackedWidget(this);
    centre_pages_->addWidget(welcome_);
    centre_pages_->addWidget(centre_);
    setCentralWidget(centre_pages_);
}

void MainWindow::buildControllers() {
    ProblemList& list = problems();
    model_ = new ModelController(*session_, *state_, *model_panel_, list, this);
    sources_ = new SourcesController(*state_, *sources_panel_, *record_bar_, list, this);
    prepare_ = new PrepareController(*session_, *state_, *prompt_panel_, *tokens_tab_, this);
    generate_ =
        new GenerateController(*session_, *state_, *prompt_panel_, *tokens_tab_, list, this);
    extract_ = new EmbeddingsController(*session_, *state_, *embeddings_tab_, list, this);
    export_ = new ExportController(*session_, *state_, list, *this, this);
    compare_ = new CompareController(*session_, *state_, *prompt_panel_,
                                     {*answers_tab_, *compare_tab_}, list, *this, this);
    signal_ = new SignalController(*state_, *sources_, *signal_view_, *cursor_, this);
    look_ = new LookController(*session_, *state_, *prompt_panel_, {*look_tab_, *signal_view_},
                               list, this);
}

void MainWindow::refreshActions() {
    const QString run =
        generate_->isRunning() ? tr("The model is generating.") : state_->runReason();
    WindowActions::setReason(actions_->generate, run);
    WindowActions::setReason(actions_->extract, extract_->reason());
    for (QAction* action : {actions_->runBoth, actions_->runChanged, actions_->runOther}) {
        WindowActions::setReason(action, compare_->reason());
    }
    const QString noEdits = tr("No edit is in force; Look inside > Probes sets them.");
    WindowActions::setReason(
        actions_->runEdited,
        !compare_->reason().isEmpty() || !state_->edits().isEmpty() ? compare_->reason() : noEdits);
    WindowActions::setReason(actions_->exportFile, export_->reason());
    WindowActions::setReason(actions_->closeModel,
                             state_->model() ? QString() : tr("No model is open."));
    const bool full = state_->audioPaths().size() >= kMaxSources;
    WindowActions::setReason(
        actions_->addAudio,
        full ? tr("A request takes at most %1 sources.").arg(kMaxSources) : QString());
}

void MainWindow::refreshStatus() {
    const auto& model = state_->model();
    const bool empty = !model && state_->audioPaths().isEmpty() && !model_panel_->isLoading();
    centre_pages_->setCurrentWidget(empty ? static_cast<QWidget*>(welcome_) : centre_);
    const auto& prepared = state_->prepared();
    // While the next request is prepared the numbers of the one before stay, instead of flickering.
    if (prepared || !prepare_->isPreparing()) {
        status_->setContext(prepared ? prepared->promptTokens : 0,
                            prepared ? prepared->audioTokens : 0, model ? model->contextLength : 0);
    }
    if (!model) {
        status_->setIdleText(tr("No model"));
        status_->setSpeed(0, 0);
        setWindowTitle(tr("Earscope"));
        return;
    }
    status_->setIdleText(tr("Ready: %1 on %2, %3").arg(model->name, model->device, model->dtype));
    setWindowTitle(tr("%1 – Earscope").arg(model->name));
}

void MainWindow::onEscape() {
    if (session_->isBusy()) {
        session_->cancelAll();
    } else {
        sources_->stopPlaying();
        cursor_->release();
    }
}

void MainWindow::toggleRecording() {
    if (record_bar_->isRecording()) {
        record_bar_->stop();
    } else {
        sources_panel_->showRecording(true);
        record_bar_->start();
    }
    actions_->record->setChecked(record_bar_->isRecording());
}

void MainWindow::focusPanel(int step) {
    const QList<QWidget*> panels{model_panel_, sources_panel_, signal_view_, tabs_, prompt_panel_};
    const QWidget* focused = QApplication::focusWidget();
    qsizetype at = -1;
    for (qsizetype i = 0; i < panels.size(); ++i) {
        if (panels[i] == focused || (focused != nullptr && panels[i]->isAncestorOf(focused))) {
            at = i;
        }
    }
    for (qsizetype tried = 0; tried < panels.size(); ++tried) {
        at = (at + step + panels.size()) % panels.size();
        if (!panels[at]->isVisible()) {
            continue;
        }
        if ((panels[at]->focusPolicy() & Qt::TabFocus) != 0) {
            panels[at]->setFocus(Qt::TabFocusReason);
            return;
        }
        for (QWidget* child : panels[at]->findChildren<QWidget*>()) {
            if ((child->focusPolicy() & Qt::TabFocus) != 0 && child->isVisible() &&
                child->isEnabled()) {
                child->setFocus(Qt::TabFocusReason);
                return;
            }
        }
    }
}

void MainWindow::setTheme(Theme theme) {
    theme_ = theme;
    applyTheme(theme);
    actions_->systemTheme->setChecked(theme == Theme::System);
    actions_->lightTheme->setChecked(theme == Theme::Light);
    actions_->darkTheme->setChecked(theme == Theme::Dark);
}

void MainWindow::openModel(const QString& folder) {
    model_->open(folder);
}

void MainWindow::openDemo() {
    model_->openDemo();
    addDemoRequest();
}

void MainWindow::openDemoMoss() {
    model_->openDemoMoss();
    addDemoRequest();
}

void MainWindow::addDemoRequest() {
    if (sources_->count() == 0) {
        sources_->add(demoClips());
    }
    if (prompt_panel_->settings().prompt.isEmpty()) {
        prompt_panel_->setPrompt(tr("Which instrument is this?"));
    }
    refreshStatus();
}

void MainWindow::openArguments(const QStringList& files) {
    QStringList sounds;
    for (const QString& file : files) {
        if (isModelFolder(file)) {
            openModel(file);
        } else {
            sounds << QFileInfo(file).absoluteFilePath();
        }
    }
    if (!sounds.isEmpty()) {
        sources_->add(sounds);
    }
    refreshStatus();
}

void MainWindow::reportProblem(const QString& problem) {
    problems().add(problem);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList folders;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile() && isModelFolder(url.toLocalFile())) {
            folders << url.toLocalFile();
        }
    }
    if (!folders.isEmpty()) {
        openModel(folders.front());
    } else {
        const SourcesPanel::DropVerdict verdict = sources_panel_->judgeDrop(*event->mimeData());
        sources_->add(verdict.paths);
        if (!verdict.refusals.isEmpty()) {
            sources_panel_->showMessage(verdict.refusals.join(QLatin1Char('\n')));
        }
    }
    event->acceptProposedAction();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // Space presses a focused button and opens a focused list; only elsewhere it plays.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space &&
        (watched->inherits("QAbstractButton") || watched->inherits("QComboBox") ||
         watched->inherits("QAbstractSpinBox"))) {
        event->accept();
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace earscope
