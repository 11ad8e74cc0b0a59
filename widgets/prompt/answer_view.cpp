#include "widgets/prompt/answer_view.h"

#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>

namespace earscope {
namespace {

/// User state of a block that continues the one before it.
constexpr int kContinues = 1;
constexpr int kParagraph = 0;

/// Adds text without line ends. A block is left at the first space after kLongParagraph characters,
/// and at twice that length also without one.
void appendLine(QTextCursor& cursor, const QString& text) {
    constexpr qsizetype kLong = AnswerView::kLongParagraph;
    qsizetype from = 0;
    while (from < text.size()) {
        qsizetype length = cursor.block().length() - 1;
        if (length >= 2 * kLong ||
            (length >= kLong && cursor.block().text().endsWith(QLatin1Char(' ')))) {
            cursor.insertBlock();
            cursor.block().setUserState(kContinues);
            length = 0;
        }
        qsizetype count = std::min(text.size() - from, 2 * kLong - length);
        if (length + count > kLong) {
            const qsizetype space =
                text.indexOf(QLatin1Char(' '), from + std::max<qsizetype>(0, kLong - length - 1));
            count = space < 0 ? count : std::min(count, space + 1 - from);
        }
        cursor.insertText(text.mid(from, count));
        from += count;
    }
}

}  // namespace

AnswerView::AnswerView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
}

void AnswerView::appendPiece(const QString& piece) {
    text_ += piece;
    QScrollBar* bar = verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 1;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    qsizetype from = 0;
    while (from < piece.size()) {
        const qsizetype line = piece.indexOf(QLatin1Char('\n'), from);
        const qsizetype end = line < 0 ? piece.size() : line;
        appendLine(cursor, piece.mid(from, end - from));
        if (line >= 0) {
            cursor.insertBlock();
            cursor.block().setUserState(kParagraph);
        }
        from = end + 1;
    }
    cursor.endEditBlock();
    if (atEnd) {
        bar->setValue(bar->maximum());
    }
}

void AnswerView::clearText() {
    text_.clear();
    clear();
}

QMimeData* AnswerView::createMimeDataFromSelection() const {
    const QTextCursor cursor = textCursor();
    const int begin = cursor.selectionStart();
    const int end = cursor.selectionEnd();
    QString copied;
    for (QTextBlock block = document()->findBlock(begin);
         block.isValid() && block.position() <= end; block = block.next()) {
        if (block.position() > begin && block.userState() != kContinues) {
            copied += QLatin1Char('\n');
        }
        const int first = std::max(0, begin - block.position());
        const int last = std::min(block.length() - 1, end - block.position());
        copied += block.text().mid(first, last - first);
    }
    auto* copy = new QMimeData;  // the caller, Qt, owns it
    copy->setText(copied);
    return copy;
}

}  // namespace earscope
