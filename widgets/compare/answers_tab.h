#pragma once
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace earscope {

class AnswerView;
class RunListModel;

/// The Answers tab: every finished run of the session as a row, the chosen one in full below. Any
/// two can be marked as A and B, with the buttons or the keys A and B.
class AnswersTab : public QWidget {
    Q_OBJECT
public:
    explicit AnswersTab(QWidget* parent = nullptr);

    /// Not owned; must outlive the tab.
    void setModel(RunListModel* model);
    /// Selected row, or -1.
    int currentRow() const;
    void selectRow(int row);

Q_SIGNALS:
    /// Both emitted with rows of the list.
    void chosenAsA(int row);
    void chosenAsB(int row);
    void compareRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* buildTable();
    QWidget* buildDetail();
    void showCurrent();
    void copyText() const;
    void refresh();

    QStackedWidget* pages_;
    QTableView* table_ = nullptr;
    QLabel* facts_ = nullptr;
    QLabel* changes_ = nullptr;
    AnswerView* text_ = nullptr;
    QPushButton* use_a_ = nullptr;
    QPushButton* use_b_ = nullptr;
    QPushButton* copy_ = nullptr;
    QPushButton* compare_ = nullptr;
    RunListModel* model_ = nullptr;
};

}  // namespace earscope
