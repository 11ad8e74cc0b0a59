#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/look_page.h"

#include <memory>

class QPushButton;
class QSpinBox;
class QTableWidget;

namespace earscope {

class TwinView;
class WordList;

using AlternativesPointer = std::shared_ptr<const AlternativesValue>;

/// What else the model could have said at each word, and how sure it was.
class AlternativesPage : public LookPage {
    Q_OBJECT
public:
    explicit AlternativesPage(QWidget* parent = nullptr);

    int topK() const;
    void setAlternatives(AlternativesPointer alternatives);
    AlternativesPointer alternatives() const { return alternatives_; }
    WordList* words() const { return words_; }
    /// Why continuing is impossible now, besides what is chosen; or an empty text.
    void setContinueReason(const QString& reason);
    /// The chosen word in words.
    QString answerText() const;

Q_SIGNALS:
    /// The answer is to go on from this token with another id.
    void continueRequested(int token, qint64 id);

private:
    QWidget* buildContent();
    void showChosen();
    void refreshContinue();
    int chosenToken() const;
    const LensChoice* chosenAlternative() const;

    QSpinBox* top_k_ = nullptr;
    WordList* words_ = nullptr;
    TwinView* twin_ = nullptr;
    QLabel* answer_ = nullptr;
    QTableWidget* top_ = nullptr;
    QPushButton* continue_ = nullptr;
    QString continue_reason_;
    AlternativesPointer alternatives_;
};

}  // namespace earscope
