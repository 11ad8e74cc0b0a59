#pragma once
#include "app/gui/app_paths.h"
#include "app/gui/theme.h"

#include <QMainWindow>

#include <memory>

class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace earscope {

class AnswersTab;
class CompareController;
class CompareTab;
class CursorModel;
class EmbeddingsController;
class EmbeddingsTab;
class ExportController;
class GenerateController;
class HelpWindow;
class LookController;
class LookTab;
class ModelController;
class ModelPanel;
class PrepareController;
class ProblemList;
class PromptPanel;
class RecordBar;
class SessionController;
class SignalController;
class SignalView;
class SourcesController;
class SourcesPanel;
class StatusStrip;
class TokensTab;
class WelcomePage;
class WindowActions;
class WorkState;

/// The window: places the panels and lets the feature controllers do the rest.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const AppPaths& paths, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Folders are opened as models (the last one wins), everything else is added as sound.
    void openArguments(const QStringList& files);
    void openModel(const QString& folder);
    /// The built-in model with its clips and a prompt.
    void openDemo();
    /// The same with the demonstration model of MOSS-Music.
    void openDemoMoss();
    void setTheme(Theme theme);
    /// Closes without asking, whatever runs.
    void closeNow();
    /// Adds to the problem list; for errors that no controller caught.
    void reportProblem(const QString& problem);

    SessionController& session() { return *session_; }
    WorkState& state() { return *state_; }
    SourcesController& sources() { return *sources_; }
    PrepareController& preparing() { return *prepare_; }
    GenerateController& generating() { return *generate_; }
    EmbeddingsController& extracting() { return *extract_; }
    ExportController& exporting() { return *export_; }
    CompareController& comparing() { return *compare_; }
    LookController& looking() { return *look_; }
    CursorModel& cursor() { return *cursor_; }
    ProblemList& problems();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildPanels();
    void buildDocks();
    void buildCentre();
    void buildLook();
    void buildControllers();
    void connectActions();
    void connectCompare();
    void connectTools();
    void connectLook();
    void connectZoom();
    void addDemoRequest();
    void setWideTabs(bool wide);
    void connectSourceKeys();
    void connectStatus();
    void refreshActions();
    void refreshStatus();
    void onEscape();
    void toggleRecording();
    void focusPanel(int step);
    void showShortcuts();
    void showAbout();
    void showHelp();
    void restoreSettings();
    void saveSettings();
    void askBeforeClosing();

    AppPaths paths_;
    Theme theme_ = Theme::System;
    bool close_now_ = false;
    QByteArray first_layout_;
    QByteArray narrow_layout_;  ///< of before the tabs were made wide

    std::unique_ptr<SessionController> session_;
    std::unique_ptr<WorkState> state_;
    std::unique_ptr<CursorModel> cursor_;

    ModelPanel* model_panel_ = nullptr;
    SourcesPanel* sources_panel_ = nullptr;
    RecordBar* record_bar_ = nullptr;
    PromptPanel* prompt_panel_ = nullptr;
    SignalView* signal_view_ = nullptr;
    TokensTab* tokens_tab_ = nullptr;
    EmbeddingsTab* embeddings_tab_ = nullptr;
    AnswersTab* answers_tab_ = nullptr;
    CompareTab* compare_tab_ = nullptr;
    LookTab* look_tab_ = nullptr;
    HelpWindow* help_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QSplitter* centre_ = nullptr;
    QStackedWidget* centre_pages_ = nullptr;
    WelcomePage* welcome_ = nullptr;
    StatusStrip* status_ = nullptr;
    WindowActions* actions_ = nullptr;

    ModelController* model_ = nullptr;
    SourcesController* sources_ = nullptr;
    PrepareController* prepare_ = nullptr;
    GenerateController* generate_ = nullptr;
    EmbeddingsController* extract_ = nullptr;
    ExportController* export_ = nullptr;
    CompareController* compare_ = nullptr;
    LookController* look_ = nullptr;
    SignalController* signal_ = nullptr;
};

}  // namespace earscope
