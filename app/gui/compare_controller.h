#pragma once
#include "core/bridge/run_values.h"
#include "widgets/compare/run_dialogs.h"
#include "widgets/compare/run_list_model.h"
#include "widgets/compare/state_pictures.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <optional>
#include <vector>

class QSettings;
class QWidget;

namespace earscope {

class AnswersTab;
class CompareTab;
class ProblemList;
class PromptPanel;
class SessionController;
class WorkState;

/// Keeps every finished run of the session and puts any two of them side by side; runs requests
/// twice to that end.
class CompareController : public QObject {
    Q_OBJECT
public:
    struct Tabs {
        AnswersTab& answers;
        CompareTab& compare;
    };

    CompareController(SessionController& session, WorkState& state, PromptPanel& prompt, Tabs tabs,
                      ProblemList& problems, QWidget& window, QObject* parent = nullptr);

    RunListModel& runs() { return runs_; }
    bool isRunning() const { return job_ != 0; }
    /// Why nothing can be run now, or an empty text.
    QString reason() const;
    /// The present request, under paper_reference and generic_sampled.
    void runBothProfiles();
    /// The present request without the edits in force (A) and under them (B).
    void runWithAndWithoutEdits();
    void openChangedCopy();
    void openOtherModel();
    /// Runs the present request under two specifications.
    void run(const RunSpec& a, const RunSpec& b);
    /// What the Prompt dock is set to, under the edits in force.
    RunSpec presentSpec() const;
    /// Snapshots in the Hugging Face cache, offered as the other model.
    void setCachedSnapshots(const QStringList& folders) { cached_ = folders; }

    const std::optional<Comparison>& comparison() const { return comparison_; }
    void openExport();
    /// Writes the comparison: Markdown where the name ends in .md, else JSON. Nothing half written
    /// stays. False where it failed; the problem list says why.
    bool exportTo(const QString& file);
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

Q_SIGNALS:
    void runningChanged(bool running);
    /// Before a job is given to the model: what waits to be prepared goes first.
    void aboutToRun();
    /// The Compare tab has something to show that was asked for.
    void showRequested();
    /// For the status strip.
    void message(const QString& text);
    /// The two chosen runs stand side by side.
    void compared();

private:
    /// How a run of the list can be done again.
    struct Origin {
        RequestValue request;
        RunSpec spec;
    };
    /// States of two runs of the list.
    struct Kept {
        int a = -1;
        int b = -1;
        RunStates statesA;
        RunStates statesB;
    };

    void connectSession();
    void connectTabs();
    /// Adds a run to the list that came about as its record says.
    void keep(const RunPointer& run, const RequestValue& request);
    int append(const RunPointer& run, const Origin& origin);
    void start(CompareJob job, bool statesOnly);
    /// What is said while a comparison runs, with a place for its progress.
    QString runningText() const;
    void onCompared(const ComparedValue& value);
    void end(const QString& notice);
    void showChosen();
    void computeStates();
    void showStates();
    QString statesReason() const;
    void makeShownPicture(const PictureKey& key);
    void copyMarkdown();
    void refresh();
    std::vector<int> layersToCompare() const;

    SessionController& session_;
    WorkState& state_;
    PromptPanel& prompt_;
    AnswersTab& answers_;
    CompareTab& compare_;
    ProblemList& problems_;
    QWidget& window_;
    RunListModel runs_;
    std::vector<Origin> origins_;  ///< one per run
    JobId job_ = 0;
    CompareJob asked_;
    bool states_only_ = false;
    Kept kept_;
    std::optional<Comparison> comparison_;
    quint64 shown_ = 0;     ///< counts what was asked to be shown; older answers are dropped
    quint64 pictured_ = 0;  ///< the same for heatmaps
    QStringList cached_;
    QString last_folder_;
    QPointer<OtherModelDialog> other_dialog_;
};

}  // namespace earscope
