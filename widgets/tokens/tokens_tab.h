#pragma once
#include "core/bridge/values.h"

#include <QPointer>
#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QScrollBar;
class QStackedWidget;
class QTableView;

namespace earscope {

class CursorModel;
class TokenStrip;
class TokenTableModel;

/// The Tokens tab: every position of the prepared request as a strip and as a table, both linked
/// to the shared cursor.
class TokensTab : public QWidget {
    Q_OBJECT
public:
    explicit TokensTab(QWidget* parent = nullptr);

    /// Not owned; may be null.
    void setCursorModel(CursorModel* cursor);
    /// Prompt tokens; what was generated before is dropped.
    void setPrompt(std::vector<TokenValue> tokens);
    /// Puts the tokens of an answer behind the prompt.
    void setGenerated(const std::vector<TokenValue>& tokens);
    /// Nothing to show: `text` says why, `action` is the button that helps (may be empty).
    void showEmpty(const QString& text, const QString& action = {});
    bool isEmpty() const;
    int tokenCount() const;
    /// Selected row, or -1.
    int currentRow() const;
    void selectRow(int row);

Q_SIGNALS:
    void emptyActionRequested();

private:
    QWidget* buildContent();
    void buildTable();
    void refresh();
    void refreshLegend();
    void onRowChosen(int row, bool extend);
    void onRowHovered(int row);
    void onCursorMoved();
    void onCursorHovered();
    void onStripRange(double first, double last);
    void showRow(int row, bool scroll);

    QStackedWidget* pages_;
    QLabel* empty_text_;
    QPushButton* empty_action_;
    QLabel* legend_ = nullptr;
    TokenStrip* strip_ = nullptr;
    QScrollBar* strip_bar_ = nullptr;
    QTableView* table_ = nullptr;
    TokenTableModel* model_ = nullptr;
    QPointer<CursorModel> cursor_;
    std::vector<TokenValue> prompt_;
    std::vector<TokenValue> generated_;
    bool updating_ = false;
};

}  // namespace earscope
