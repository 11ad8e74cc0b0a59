#pragma once
#include "widgets/sources/sources_panel.h"

#include <QFrame>
#include <QPoint>

class QLabel;
class QLineEdit;
class QToolButton;

namespace earscope {

/// How a row names its file where there is no label.
QString sourceFileName(const SourceEntry& entry);
/// "44.1 kHz · stereo · 3:05.2".
QString sourceFacts(const SourceEntry& entry);
/// "4,630 tokens", "about 4,630 tokens expected", "0 tokens expected: shorter than one token".
QString sourceTokens(const SourceEntry& entry);

/// Format of a row that is dragged within the panel; its data is the row's index as text.
extern const char* const kSourceRowMime;

/// One source: number, label, file, facts, notices, and its buttons.
class SourceRow : public QFrame {
    Q_OBJECT
public:
    explicit SourceRow(QWidget* parent = nullptr);

    struct State {
        int index = 0;
        int count = 1;
        bool playing = false;
        QString playbackReason;  ///< empty: may play
    };
    void setEntry(const SourceEntry& entry, const State& state);
    /// Tells a label that is still being typed, before rows change places.
    void commitLabel();

Q_SIGNALS:
    void removeClicked();
    /// -1 up, 1 down.
    void moveClicked(int step);
    void playClicked();
    void stopClicked();
    void labelEdited(const QString& label);
    void activated();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void connectButtons();
    QToolButton* makeButton(const QString& name);
    void showEntry();
    void showButtons();
    void showColors();
    void elideFileName();

    SourceEntry entry_;
    State state_;
    QPoint press_position_;
    QLabel* number_ = nullptr;
    QLineEdit* label_ = nullptr;
    QLabel* file_ = nullptr;
    QLabel* facts_ = nullptr;
    QLabel* notices_ = nullptr;
    QToolButton* play_ = nullptr;
    QToolButton* up_ = nullptr;
    QToolButton* down_ = nullptr;
    QToolButton* remove_ = nullptr;
};

}  // namespace earscope
