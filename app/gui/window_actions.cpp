#include "app/gui/window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace earscope {

WindowActions::WindowActions(QMainWindow& window) : QObject(&window) {
    makeFileActions();
    makeRunActions();
    makeViewActions();
    for (QAction* action : all_) {
        window.addAction(action);
    }
}

QAction* WindowActions::make(const QString& name, const QString& text, const QKeySequence& key,
                             const QString& help) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(key);
    action->setData(help);
    setReason(action, {});
    all_.push_back(action);
    return action;
}

void WindowActions::setReason(QAction* action, const QString& reason) {
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    const QString help = reason.isEmpty() ? action->data().toString() : reason;
    action->setEnabled(reason.isEmpty());
    action->setToolTip(key.isEmpty() ? help : tr("%1 (%2)").arg(help, key));
}

void WindowActions::makeFileActions() {
    openModel = make(QStringLiteral("openModel"), tr("&Open model…"),
                     QKeySequence(QStringLiteral("Ctrl+O")), tr("Opens a local model snapshot"));
    openDemo = make(QStringLiteral("openDemo"), tr("Open the &demo"), {},
                    tr("Opens the demonstration model and its sound clips"));
    openDemoMoss = make(QStringLiteral("openDemoMoss"), tr("Open the &MOSS-Music demo"), {},
                        tr("Opens the demonstration model of the second family and the clips"));
    closeModel = make(QStringLiteral("closeModelAction"), tr("&Close the model"), {},
                      tr("Removes the model from memory"));
    addAudio = make(QStringLiteral("addAudio"), tr("Add &audio…"),
                    QKeySequence(QStringLiteral("Ctrl+I")), tr("Adds up to five sound files"));
    record = make(QStringLiteral("record"), tr("&Record"), QKeySequence(QStringLiteral("Ctrl+R")),
                  tr("Starts or stops a recording from the microphone"));
    exportFile = make(QStringLiteral("exportFile"), tr("&Export…"),
                      QKeySequence(QStringLiteral("Ctrl+Shift+E")), tr("Writes tensors to a file"));
    quit = make(QStringLiteral("quit"), tr("&Quit"), QKeySequence::Quit, tr("Ends the program"));
}

void WindowActions::makeRunActions() {
    generate = make(QStringLiteral("generateAction"), tr("&Generate"),
                    QKeySequence(QStringLiteral("Ctrl+Return")),
                    tr("Asks the model and streams its answer"));
    extract = make(QStringLiteral("extractAction"), tr("E&xtract"),
                   QKeySequence(QStringLiteral("Ctrl+E")),
                   tr("Extracts the raw and projected audio embeddings"));
    runBoth = make(QStringLiteral("runBoth"), tr("Run &both profiles"),
                   QKeySequence(QStringLiteral("Ctrl+Shift+Return")),
                   tr("Runs the request greedily and sampled, and puts both side by side"));
    runEdited = make(QStringLiteral("runEdited"), tr("Run with and without the &edits"), {},
                     tr("Runs the request without the edits in force and under them, and puts both "
                        "side by side"));
    runChanged = make(QStringLiteral("runChanged"), tr("Run a &changed copy…"), {},
                      tr("Runs the request as it is and with other parameters"));
    runOther = make(QStringLiteral("runOther"), tr("Run under another &model…"), {},
                    tr("Runs the request under the open model and under another one"));
    stop = make(QStringLiteral("stopAction"), tr("&Stop"), QKeySequence(Qt::Key_Escape),
                tr("Stops what is running; else releases the cursor"));
    togglePlay = make(QStringLiteral("togglePlay"), tr("&Play or stop"),
                      QKeySequence(Qt::Key_Space), tr("Plays from the cursor, or the selection"));
    playToken = make(QStringLiteral("playToken"), tr("Play the &token"), QKeySequence(Qt::Key_P),
                     tr("Plays the token under the cursor and half a second around it"));
}

void WindowActions::makeViewActions() {
    zoomIn = make(QStringLiteral("zoomIn"), tr("Zoom &in"), QKeySequence(Qt::Key_Plus),
                  tr("Shows less time in more detail"));
    zoomOut = make(QStringLiteral("zoomOut"), tr("Zoom &out"), QKeySequence(Qt::Key_Minus),
                   tr("Shows more time"));
    fit = make(QStringLiteral("fit"), tr("&Fit"), QKeySequence(Qt::Key_F),
               tr("Shows the whole signal"));
    find = make(QStringLiteral("find"), tr("Fi&nd a module"), QKeySequence::Find,
                tr("Goes to the search field of the module tree"));
    nextPanel = make(QStringLiteral("nextPanel"), tr("Next panel"), QKeySequence(Qt::Key_F6),
                     tr("Moves the focus to the next panel"));
    previousPanel =
        make(QStringLiteral("previousPanel"), tr("Previous panel"),
             QKeySequence(QStringLiteral("Shift+F6")), tr("Moves the focus to the panel before"));
    tokensTab = make(QStringLiteral("tokensTabAction"), tr("&Tokens"),
                     QKeySequence(QStringLiteral("Alt+1")), tr("Shows the Tokens tab"));
    embeddingsTab = make(QStringLiteral("embeddingsTabAction"), tr("&Embeddings"),
                         QKeySequence(QStringLiteral("Alt+2")), tr("Shows the Embeddings tab"));
    lookTab = make(QStringLiteral("lookTabAction"), tr("&Look inside"),
                   QKeySequence(QStringLiteral("Alt+3")), tr("Shows the Look inside tab"));
    helpChapters = make(QStringLiteral("help"), tr("&Help"), QKeySequence(Qt::Key_F1),
                        tr("Shows the help, in Look inside that of the instrument in front"));
    answersTab =
        make(QStringLiteral("answersTabAction"), tr("&Answers"),
             QKeySequence(QStringLiteral("Alt+4")), tr("Shows every finished run of the session"));
    compareTab = make(QStringLiteral("compareTabAction"), tr("&Compare"),
                      QKeySequence(QStringLiteral("Alt+5")), tr("Shows two runs side by side"));
    wideTabs = make(QStringLiteral("wideTabs"), tr("&Wide tabs"), QKeySequence(Qt::Key_F11),
                    tr("Gives the tabs the room of the signal view and of the docks"));
    wideTabs->setCheckable(true);
    resetLayout = make(QStringLiteral("resetLayout"), tr("&Reset the layout"), {},
                       tr("Puts every panel back to its place"));
    systemTheme = make(QStringLiteral("systemTheme"), tr("&System colours"), {},
                       tr("Takes the colours of the desktop"));
    lightTheme = make(QStringLiteral("lightTheme"), tr("&Light"), {}, tr("Light colours"));
    darkTheme = make(QStringLiteral("darkTheme"), tr("&Dark"), {}, tr("Dark colours"));
    shortcuts = make(QStringLiteral("shortcuts"), tr("&Keyboard shortcuts"),
                     QKeySequence(Qt::Key_F2), tr("Lists all keys"));
    selfCheck = make(QStringLiteral("selfCheck"), tr("&Self-check…"), {},
                     tr("Holds this build against values of the reference implementations"));
    about = make(QStringLiteral("about"), tr("&About Earscope"), {}, tr("Version and licence"));
    auto* themes = new QActionGroup(this);
    for (QAction* theme : {systemTheme, lightTheme, darkTheme}) {
        theme->setCheckable(true);
        themes->addAction(theme);
    }
    record->setCheckable(true);
}

void WindowActions::place(QMainWindow& window, const std::vector<QAction*>& views) {
    QMenu* file = window.menuBar()->addMenu(tr("&File"));
    file->addActions({openModel, openDemo, openDemoMoss, closeModel});
    file->addSeparator();
    file->addActions({addAudio, record});
    file->addSeparator();
    file->addAction(exportFile);
    file->addSeparator();
    file->addAction(quit);
    QMenu* run = window.menuBar()->addMenu(tr("&Run"));
    run->addActions({generate, extract, stop});
    run->addSeparator();
    run->addActions({runBoth, runEdited, runChanged, runOther});
    run->addSeparator();
    run->addActions({togglePlay, playToken});
    QMenu* view = window.menuBar()->addMenu(tr("&View"));
    view->addActions({zoomIn, zoomOut, fit, find});
    view->addSeparator();
    view->addActions({tokensTab, embeddingsTab, lookTab, answersTab, compareTab, wideTabs,
                      nextPanel, previousPanel});
    view->addSeparator();
    for (QAction* dock : views) {
        view->addAction(dock);
    }
    view->addAction(resetLayout);
    QMenu* theme = view->addMenu(tr("&Colours"));
    theme->addActions({systemTheme, lightTheme, darkTheme});
    QMenu* help = window.menuBar()->addMenu(tr("&Help"));
    help->addActions({helpChapters, shortcuts, selfCheck, about});
    for (QMenu* menu : {file, run, view, help}) {
        menu->setToolTipsVisible(true);
    }

    QToolBar* bar = window.addToolBar(tr("Main toolbar"));
    bar->setObjectName(QStringLiteral("mainToolbar"));
    bar->setMovable(false);
    bar->addActions({openModel, addAudio, record});
    bar->addSeparator();
    bar->addActions({extract, generate, stop});
    bar->addSeparator();
    bar->addAction(exportFile);
}

std::vector<QAction*> WindowActions::withKeys() const {
    std::vector<QAction*> result;
    for (QAction* action : all_) {
        if (!action->shortcut().isEmpty()) {
            result.push_back(action);
        }
    }
    return result;
}

}  // namespace earscope
