#pragma once
#include <QPlainTextEdit>

namespace earscope {

/// Read-only text that grows at its end at a constant cost per piece.
///
/// A text editor lays a paragraph out anew at each change, which for an answer without line ends
/// costs more and more. So a very long paragraph is continued in a new block at a space; blocks of
/// that kind are joined again in `text()` and in what is copied.
class AnswerView : public QPlainTextEdit {
    Q_OBJECT
public:
    /// Characters after which a paragraph is continued in a new block.
    static constexpr int kLongParagraph = 2'000;

    explicit AnswerView(QWidget* parent = nullptr);

    /// Stays at the end if the end is in view, else leaves the scroll position alone.
    void appendPiece(const QString& piece);
    void clearText();
    /// Exactly what was appended.
    const QString& text() const { return text_; }

protected:
    QMimeData* createMimeDataFromSelection() const override;

private:
    QString text_;
};

}  // namespace earscope
