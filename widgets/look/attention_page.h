#pragma once
#include "widgets/look/attention_reduce.h"
#include "widgets/look/look_page.h"

#include <QPointer>

#include <memory>

class QComboBox;
class QLineEdit;
class QTableWidget;
class QTabWidget;

namespace earscope {

class CursorModel;
class HeatmapPanel;
class WordList;

using AttentionPointer = std::shared_ptr<const AttentionValue>;

/// Which seconds each word of the answer looked at.
class AttentionPage : public LookPage {
    Q_OBJECT
public:
    explicit AttentionPage(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setModel(int blocks);
    void setSourceNames(const QStringList& names) { names_ = names; }
    std::vector<int> layers() const;
    /// Empty: all.
    std::vector<int> heads() const;

    void setAttention(AttentionPointer attention);
    AttentionPointer attention() const { return attention_; }
    WordList* words() const { return words_; }
    HeatmapPanel* panel() const { return panel_; }
    /// "Token 4 (word 3): “ guitar” looked most at 12.480 – 12.520 s of source 1 (8.1 %)."
    QString answerText() const;
    /// Per source the weight of each of its tokens, for the chosen words.
    std::vector<std::vector<double>> lanes() const;

Q_SIGNALS:
    /// Other words, layers or heads were chosen, or there is nothing to show any more.
    void lanesChanged();

private:
    QWidget* buildContent();
    void connectParts();
    void refreshProblem();
    void fillChoices();
    AttentionChoice choice() const;
    void showChosen();
    void showMap();
    void followWord();
    QString chosenText() const;

    QPointer<CursorModel> cursor_;
    QStringList names_;
    QLineEdit* layers_ = nullptr;
    QLineEdit* heads_ = nullptr;
    WordList* words_ = nullptr;
    QComboBox* layer_ = nullptr;
    QComboBox* head_ = nullptr;
    QLabel* answer_ = nullptr;
    QLabel* shares_ = nullptr;
    QTabWidget* views_ = nullptr;
    QTableWidget* seconds_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    AttentionPointer attention_;
    std::vector<double> weights_;
    int blocks_ = 0;
};

}  // namespace earscope
