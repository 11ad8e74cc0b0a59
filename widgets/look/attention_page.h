#pragma once
#include "widgets/look/attention_reduce.h"
#include "widgets/look/look_page.h"

#include <QPointer>

#include <memory>
#include <utility>

class QComboBox;
class QLineEdit;
class QSpinBox;
class QSplitter;
class QTableWidget;
class QTabWidget;

namespace earscope {

class CursorModel;
class HeatmapPanel;
class WordList;

using AttentionPointer = std::shared_ptr<const AttentionValue>;

/// Which seconds each word of the answer looked at, or each position of a span of the prompt.
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
    /// All positions of the prompt; null while nothing is prepared.
    void setTokens(const TokenList& tokens);
    /// Positions of the prompt whose rows are wanted, one past the last; both -1: of the answer.
    std::pair<int, int> span() const;

    void setAttention(AttentionPointer attention);
    AttentionPointer attention() const { return attention_; }
    WordList* words() const { return words_; }
    HeatmapPanel* panel() const { return panel_; }
    /// "Token 4 (word 3): “ guitar” looked most at 12.480 – 12.520 s of source 1 (8.1 %)."
    QString answerText() const;
    /// Per source the weight of each of its tokens, for the chosen words.
    std::vector<std::vector<double>> lanes() const;

    AttentionChoice choice() const;
    /// A map that was made meanwhile; of another result, layer or head it is dropped.
    void setMap(const AttentionPointer& of, const AttentionChoice& choice,
                const HeatmapPointer& map);

Q_SIGNALS:
    /// The map of what is chosen is to be made; `setMap` gives it, at any time.
    void mapWanted();
    /// Other words, layers or heads were chosen, or there is nothing to show any more.
    void lanesChanged();

private:
    QWidget* buildContent();
    QWidget* buildSpan();
    void connectParts();
    void takeCursor();
    void refreshProblem();
    void fillChoices();
    AttentionChoice mapChoice() const;
    void showChosen();
    void showAnswer();
    void fillSeconds();
    void showMap();
    void followWord();
    QString chosenText() const;

    QPointer<CursorModel> cursor_;
    QStringList names_;
    QLineEdit* layers_ = nullptr;
    QLineEdit* heads_ = nullptr;
    QComboBox* rows_ = nullptr;
    QWidget* span_ = nullptr;
    QSpinBox* first_ = nullptr;
    QSpinBox* last_ = nullptr;
    HeatmapAxis prompt_;  ///< its tokens, to find those of the cursor
    QSplitter* split_ = nullptr;
    WordList* words_ = nullptr;
    int words_height_ = 0;  ///< that the words were given when they last wanted another one
    QComboBox* layer_ = nullptr;
    QComboBox* head_ = nullptr;
    QLabel* answer_ = nullptr;
    QLabel* shares_ = nullptr;
    QTabWidget* views_ = nullptr;
    QTableWidget* seconds_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    AttentionPointer attention_;
    std::vector<TokenValue> row_tokens_;
    std::vector<double> weights_;
    AttentionPointer map_of_;     ///< what the panel shows or waits for
    AttentionChoice map_choice_;  ///< its layers and heads
    int blocks_ = 0;
};

}  // namespace earscope
