#pragma once
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <vector>

class QAction;
class QMainWindow;

namespace earscope {

/// All actions of the window in one place: text, key and where they stand in menus and toolbar.
class WindowActions : public QObject {
    Q_OBJECT
public:
    explicit WindowActions(QMainWindow& window);

    QAction* openModel;
    QAction* openDemo;
    QAction* openDemoMoss;
    QAction* closeModel;
    QAction* addAudio;
    QAction* record;
    QAction* exportFile;
    QAction* quit;
    QAction* generate;
    QAction* extract;
    QAction* runBoth;
    QAction* runEdited;
    QAction* runChanged;
    QAction* runOther;
    QAction* stop;
    QAction* togglePlay;
    QAction* playToken;
    QAction* zoomIn;
    QAction* zoomOut;
    QAction* fit;
    QAction* find;
    QAction* nextPanel;
    QAction* previousPanel;
    QAction* tokensTab;
    QAction* embeddingsTab;
    QAction* lookTab;
    QAction* answersTab;
    QAction* compareTab;
    QAction* wideTabs;
    QAction* resetLayout;
    QAction* systemTheme;
    QAction* lightTheme;
    QAction* darkTheme;
    QAction* helpChapters;
    QAction* shortcuts;
    QAction* selfCheck;
    QAction* about;

    /// Menus and toolbar; `views` are the show/hide actions of the docks.
    void place(QMainWindow& window, const std::vector<QAction*>& views);
    /// Every action with a key, for the list of shortcuts.
    std::vector<QAction*> withKeys() const;
    /// A blocked action is disabled and its tooltip says why.
    static void setReason(QAction* action, const QString& reason);

private:
    QAction* make(const QString& name, const QString& text, const QKeySequence& key,
                  const QString& help);
    void makeFileActions();
    void makeRunActions();
    void makeViewActions();

    std::vector<QAction*> all_;
};

}  // namespace earscope
