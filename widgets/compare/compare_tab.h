#pragma once
#include "core/bridge/run_values.h"

#include <QWidget>

#include <optional>

class QAction;
class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace earscope {

class DiffColumn;
class ParameterModel;
class RunListModel;
class StatesView;

/// The Compare tab: two runs of the list in two columns, with what differs in what was asked and in
/// what came of it. Takes values in and gives intentions out; computes nothing.
class CompareTab : public QWidget {
    Q_OBJECT
public:
    explicit CompareTab(QWidget* parent = nullptr);

    /// Not owned; must outlive the tab.
    void setModel(RunListModel* model);
    /// Rows of the list, -1: none. Emits `chosenChanged` when they change.
    void setChosen(int a, int b);
    int chosenA() const;
    int chosenB() const;
    /// The two runs with their comparison; without one, while it is computed, the texts alone.
    void setRuns(const RunPointer& a, const RunPointer& b,
                 const std::optional<Comparison>& comparison);
    /// Why no run can be started now, or an empty text.
    void setRunReason(const QString& reason);
    /// Edits that act on every run that is started here.
    void setEdits(const QStringList& edits);
    /// What is being done, or what went wrong; an empty text hides the line.
    void setNotice(const QString& text);
    bool statesWanted() const;

    StatesView* states() const { return states_; }
    DiffColumn* columnA() const { return a_.column; }
    DiffColumn* columnB() const { return b_.column; }

Q_SIGNALS:
    void chosenChanged(int a, int b);
    void runBothRequested();
    void withAndWithoutRequested();
    void changedCopyRequested();
    void otherModelRequested();
    void copyRequested();
    void exportRequested();

private:
    struct Side {
        QComboBox* choice = nullptr;
        QLabel* title = nullptr;
        QLabel* facts = nullptr;
        QLabel* changes = nullptr;
        DiffColumn* column = nullptr;
    };

    QWidget* buildToolbar();
    QWidget* buildEmpty();
    QWidget* buildContent();
    QWidget* buildTexts();
    QWidget* buildParameters();
    /// A column of the grid; rows are shared, so that both texts begin at one height.
    void buildSide(QGridLayout& grid, Side& side, bool isA);
    QComboBox* buildChoice(bool isA);
    void connectScrolling();
    void follow(const DiffColumn& moved, DiffColumn& other, bool movedIsA);
    int partnerOf(int token, bool ofA) const;
    void fillChoices();
    void onChoice();
    void showSide(const Side& side, const RunPointer& run, bool isA);
    void showPrecondition();
    void showDivergence();
    void refresh();
    void refreshRun();

    RunListModel* model_ = nullptr;
    ParameterModel* parameters_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* empty_text_ = nullptr;
    QPushButton* empty_run_ = nullptr;
    QString run_reason_;
    QStringList edits_;
    Side a_;
    Side b_;
    QToolButton* swap_ = nullptr;
    QToolButton* run_ = nullptr;
    QAction* run_both_ = nullptr;
    QAction* run_edited_ = nullptr;
    QAction* run_changed_ = nullptr;
    QAction* run_other_ = nullptr;
    QAction* with_states_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* export_ = nullptr;
    QLabel* precondition_ = nullptr;
    QLabel* notice_ = nullptr;
    QLabel* divergence_ = nullptr;
    QPushButton* go_ = nullptr;
    QCheckBox* lock_ = nullptr;
    QTabWidget* views_ = nullptr;
    QTableView* table_ = nullptr;
    QLabel* table_note_ = nullptr;
    StatesView* states_ = nullptr;
    RunPointer run_a_;
    RunPointer run_b_;
    std::optional<Comparison> comparison_;
    bool following_ = false;
};

}  // namespace earscope
