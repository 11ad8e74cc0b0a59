// The Look inside tab and the help: where they stand in the window.
#include "app/gui/help_window.h"
#include "app/gui/look_controller.h"
#include "app/gui/main_window.h"
#include "app/gui/model_controller.h"
#include "app/gui/prepare_controller.h"
#include "app/gui/signal_controller.h"
#include "app/gui/sources_controller.h"
#include "app/gui/window_actions.h"
#include "app/gui/work_state.h"
#include "widgets/look/cursor_bar.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/probes_page.h"
#include "widgets/model/model_panel.h"
#include "widgets/model/module_tree_model.h"
#include "widgets/prompt/prompt_panel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QTabWidget>

namespace earscope {

void MainWindow::buildLook() {
    look_tab_ = new LookTab(this);
    look_tab_->setObjectName(QStringLiteral("lookTab"));
    look_tab_->setCursorModel(cursor_.get());
    tabs_->addTab(look_tab_, tr("Look inside"));
}

void MainWindow::connectLook() {
    connect(actions_->lookTab, &QAction::triggered, this,
            [this] { tabs_->setCurrentWidget(look_tab_); });
    connect(actions_->helpChapters, &QAction::triggered, this, &MainWindow::showHelp);
    connect(look_, &LookController::aboutToRun, prepare_, &PrepareController::flush);
    connect(look_, &LookController::editsChanged, state_.get(), &WorkState::setEdits);
    connect(prompt_panel_, &PromptPanel::editsRequested, this, [this] {
        look_tab_->showPage(look_tab_->probes());
        tabs_->setCurrentWidget(look_tab_);
    });
    for (LookPage* page : look_tab_->pages()) {
        connect(page, &LookPage::openModelRequested, model_, &ModelController::chooseFolder);
        connect(page, &LookPage::addAudioRequested, sources_, &SourcesController::chooseFiles);
    }
    auto* tree = model_panel_->findChild<QAbstractItemView*>(QStringLiteral("moduleTree"));
    auto* watch = new QAction(tr("Watch, or stop watching (probe)"), tree);
    watch->setObjectName(QStringLiteral("watchModule"));
    watch->setShortcut(QKeySequence(Qt::Key_B));
    watch->setShortcutContext(Qt::WidgetShortcut);
    tree->addAction(watch);
    connect(watch, &QAction::triggered, this, [this, tree] {
        const QString path = tree->currentIndex().data(ModuleTreeModel::PathRole).toString();
        if (!path.isEmpty()) {
            look_tab_->probes()->toggleProbe(path);
        }
    });
    connect(look_tab_->cursorBar(), &CursorBar::playRequested, signal_,
            &SignalController::playToken);
    connect(look_tab_->layers(), &LayersPage::playRequested, signal_, &SignalController::playToken);
}

void MainWindow::showHelp() {
    if (help_ == nullptr) {
        help_ = new HelpWindow(this);
    }
    // Inside an instrument its own chapter, else the contents.
    help_->showChapter(tabs_->currentWidget() == look_tab_ ? look_tab_->chapter() : QString());
}

}  // namespace earscope
