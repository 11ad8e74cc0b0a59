#pragma once
#include "core/bridge/values.h"

#include <QListWidget>

#include <vector>

namespace earscope {

/// For each token the number of its word, counted from 1; 0 for tokens that are no part of one
/// (special tokens, white space alone). A token that begins with a space, or follows one that ends
/// in a space or line break, begins a word.
std::vector<int> wordNumbers(const std::vector<TokenValue>& tokens);

/// "Token 5 (word 3): “ jazz”"; of a prompt "Position 37: “Which”" or "The sound at 1.480 – 1.520 s
/// of source 1"
QString wordText(const TokenValue& token, int index, int word);

/// The tokens of an answer as a flowing text of buttons: arrow keys move, Shift and Ctrl choose
/// several.
class WordList : public QListWidget {
    Q_OBJECT
public:
    explicit WordList(QWidget* parent = nullptr);

    /// Keeps the chosen token where it still exists.
    void setTokens(const std::vector<TokenValue>& tokens);
    const std::vector<TokenValue>& tokens() const { return tokens_; }
    /// Fills behind the tokens, one each, e.g. of their probability; and what the tooltips add.
    void setShades(const std::vector<QColor>& colors, const QStringList& details);
    /// A frame around one token, e.g. where an answer was continued otherwise; -1: none.
    void setMarked(int index);
    int wordOf(int index) const;
    /// Chosen tokens, ascending.
    std::vector<int> chosen() const;
    void choose(int index);

    /// As high as the tokens need, up to some lines.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenChanged();

private:
    void refreshItem(int index);
    int lineHeight() const;

    std::vector<TokenValue> tokens_;
    std::vector<int> words_;
    std::vector<QColor> colors_;
    QStringList details_;
    int marked_ = -1;
};

}  // namespace earscope
