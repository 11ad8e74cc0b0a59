// How the window's parts hear of each other.
#include "app/gui/compare_controller.h"
#include "app/gui/embeddings_controller.h"
#include "app/gui/export_controller.h"
#include "app/gui/generate_controller.h"
#include "app/gui/main_window.h"
#include "app/gui/model_controller.h"
#include "app/gui/prepare_controller.h"
#include "app/gui/self_check_dialog.h"
#include "app/gui/signal_controller.h"
#include "app/gui/sources_controller.h"
#include "app/gui/status_strip.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_actions.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/compare/answers_tab.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/model/model_panel.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/signal/signal_view.h"
#include "widgets/sources/record_bar.h"
#include "widgets/sources/sources_panel.h"
#include "widgets/tokens/tokens_tab.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QSignalBlocker>
#include <QTabWidget>

namespace earscope {

void MainWindow::connectActions() {
    connect(actions_->openModel, &QAction::triggered, model_, &ModelController::chooseFolder);
    connect(actions_->openDemo, &QAction::triggered, this, &MainWindow::openDemo);
    connect(actions_->openDemoMoss, &QAction::triggered, this, &MainWindow::openDemoMoss);
    connect(actions_->closeModel, &QAction::triggered, session_.get(), &SessionController::unload);
    connect(actions_->addAudio, &QAction::triggered, sources_, &SourcesController::chooseFiles);
    connect(actions_->record, &QAction::triggered, this, &MainWindow::toggleRecording);
    connect(record_bar_, &RecordBar::recordingChanged, actions_->record, &QAction::setChecked);
    connect(actions_->exportFile, &QAction::triggered, export_, &ExportController::openDialog);
    connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
    connect(actions_->generate, &QAction::triggered, generate_, &GenerateController::generate);
    connect(actions_->extract, &QAction::triggered, this, [this] {
        tabs_->setCurrentWidget(embeddings_tab_);
        extract_->extract();
    });
    connect(actions_->stop, &QAction::triggered, this, &MainWindow::onEscape);
    connect(actions_->togglePlay, &QAction::triggered, signal_, &SignalController::togglePlay);
    connect(actions_->playToken, &QAction::triggered, signal_, &SignalController::playToken);
    connect(welcome_, &WelcomePage::openModelRequested, model_, &ModelController::chooseFolder);
    connect(welcome_, &WelcomePage::addAudioRequested, sources_, &SourcesController::chooseFiles);
    connect(welcome_, &WelcomePage::demoRequested, this, &MainWindow::openDemo);
    connect(welcome_, &WelcomePage::demoMossRequested, this, &MainWindow::openDemoMoss);
    connect(tokens_tab_, &TokensTab::emptyActionRequested, this, [this] {
        if (state_->model()) {
            prepare_->prepareNow();
        } else {
            model_->chooseFolder();
        }
    });
    connect(generate_, &GenerateController::aboutToRun, prepare_, &PrepareController::flush);
    connect(extract_, &EmbeddingsController::aboutToRun, prepare_, &PrepareController::flush);
}

void MainWindow::connectCompare() {
    connect(actions_->runBoth, &QAction::triggered, compare_, &CompareController::runBothProfiles);
    connect(actions_->runEdited, &QAction::triggered, compare_,
            &CompareController::runWithAndWithoutEdits);
    connect(actions_->runChanged, &QAction::triggered, compare_,
            &CompareController::openChangedCopy);
    connect(actions_->runOther, &QAction::triggered, compare_, &CompareController::openOtherModel);
    connect(actions_->answersTab, &QAction::triggered, this,
            [this] { tabs_->setCurrentWidget(answers_tab_); });
    connect(actions_->compareTab, &QAction::triggered, this,
            [this] { tabs_->setCurrentWidget(compare_tab_); });
    connect(actions_->wideTabs, &QAction::toggled, this, &MainWindow::setWideTabs);
    connect(compare_, &CompareController::showRequested, this,
            [this] { tabs_->setCurrentWidget(compare_tab_); });
    connect(compare_, &CompareController::aboutToRun, prepare_, &PrepareController::flush);
    connect(compare_, &CompareController::message, status_, &StatusStrip::setIdleText);
    connect(compare_, &CompareController::runningChanged, this, &MainWindow::refreshActions);
    connect(model_, &ModelController::cachedFound, compare_,
            &CompareController::setCachedSnapshots);
}

void MainWindow::setWideTabs(bool wide) {
    if (wide) {
        narrow_layout_ = saveState();
        for (QDockWidget* dock : findChildren<QDockWidget*>()) {
            dock->hide();
        }
    } else {
        restoreState(narrow_layout_);
    }
    signal_view_->setVisible(!wide);
}

void MainWindow::connectTools() {
    connect(actions_->zoomIn, &QAction::triggered, signal_view_, &SignalView::zoomIn);
    connect(actions_->zoomOut, &QAction::triggered, signal_view_, &SignalView::zoomOut);
    connect(actions_->fit, &QAction::triggered, signal_view_, &SignalView::fit);
    connect(actions_->find, &QAction::triggered, model_panel_, &ModelPanel::focusSearch);
    connect(actions_->nextPanel, &QAction::triggered, this, [this] { focusPanel(1); });
    connect(actions_->previousPanel, &QAction::triggered, this, [this] { focusPanel(-1); });
    connect(actions_->tokensTab, &QAction::triggered, this,
            [this] { tabs_->setCurrentWidget(tokens_tab_); });
    connect(actions_->embeddingsTab, &QAction::triggered, this,
            [this] { tabs_->setCurrentWidget(embeddings_tab_); });
    connect(actions_->resetLayout, &QAction::triggered, this,
            [this] { restoreState(first_layout_); });
    connect(actions_->systemTheme, &QAction::triggered, this, [this] { setTheme(Theme::System); });
    connect(actions_->lightTheme, &QAction::triggered, this, [this] { setTheme(Theme::Light); });
    connect(actions_->darkTheme, &QAction::triggered, this, [this] { setTheme(Theme::Dark); });
    connect(actions_->shortcuts, &QAction::triggered, this, &MainWindow::showShortcuts);
    connect(actions_->selfCheck, &QAction::triggered, this, [this] {
        auto* dialog = new SelfCheckDialog(*session_, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    connect(actions_->about, &QAction::triggered, this, &MainWindow::showAbout);
    connectZoom();
    connectSourceKeys();
}

void MainWindow::connectZoom() {
    EmbeddingPlot* plot = embeddings_tab_->plot();
    connect(signal_view_, &SignalView::visibleRangeChanged, plot, &EmbeddingPlot::setVisibleRange);
    connect(plot, &EmbeddingPlot::visibleRangeChanged, this, [this](double begin, double end) {
        const QSignalBlocker blocker(signal_view_);  // the plot knows
        signal_view_->setVisibleRange(begin, end);
    });
}

void MainWindow::connectSourceKeys() {
    for (int i = 0; i < kMaxSources; ++i) {
        auto* action = new QAction(tr("Go to source %1").arg(i + 1), this);
        action->setShortcut(QKeySequence(Qt::Key_1 + i));
        connect(action, &QAction::triggered, this, [this, i] {
            if (i < cursor_->sourceCount()) {
                cursor_->lock(i, cursor_->isLocked() ? cursor_->point().seconds : 0);
                signal_view_->setFocus(Qt::ShortcutFocusReason);
            }
        });
        addAction(action);
    }
}

void MainWindow::connectStatus() {
    connect(status_, &StatusStrip::cancelRequested, session_.get(), &SessionController::cancelAll);
    connect(session_.get(), &SessionController::busyChanged, status_, &StatusStrip::setBusy);
    connect(session_.get(), &SessionController::busyChanged, this, &MainWindow::refreshActions);
    connect(session_.get(), &SessionController::progressed, status_, &StatusStrip::setProgress);
    connect(state_.get(), &WorkState::changed, this, &MainWindow::refreshStatus);
    connect(state_.get(), &WorkState::changed, this, &MainWindow::refreshActions);
    connect(state_.get(), &WorkState::modelChanged, this, [this] {
        // The page that had the focus is gone; left alone, the search field would get it and with
        // it the single-letter keys.
        const QWidget* focused = QApplication::focusWidget();
        if (focused == nullptr || model_panel_->isAncestorOf(focused)) {
            signal_view_->setFocus(Qt::OtherFocusReason);
        }
    });
    connect(generate_, &GenerateController::speedChanged, status_, &StatusStrip::setSpeed);
    connect(generate_, &GenerateController::runningChanged, this, &MainWindow::refreshActions);
    connect(export_, &ExportController::message, status_, &StatusStrip::setIdleText);
    connect(export_, &ExportController::runningChanged, this, &MainWindow::refreshActions);
    connect(extract_, &EmbeddingsController::extracted, this, &MainWindow::refreshActions);
}

}  // namespace earscope
