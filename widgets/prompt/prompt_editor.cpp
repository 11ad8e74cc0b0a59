#include "widgets/prompt/prompt_editor.h"

#include <QKeyEvent>
#include <QSyntaxHighlighter>

namespace earscope {
namespace {

const QLatin1String kMarker("<audio>");

class MarkerHighlighter : public QSyntaxHighlighter {
public:
    explicit MarkerHighlighter(QPlainTextEdit* editor)
        : QSyntaxHighlighter(editor->document()), editor_(editor) {}

protected:
    void highlightBlock(const QString& text) override {
        QTextCharFormat format;
        format.setForeground(editor_->palette().highlightedText());
        format.setBackground(editor_->palette().highlight());
        for (qsizetype at = text.indexOf(kMarker); at >= 0;
             at = text.indexOf(kMarker, at + kMarker.size())) {
            setFormat(static_cast<int>(at), static_cast<int>(kMarker.size()), format);
        }
    }

private:
    QPlainTextEdit* editor_;
};

}  // namespace

PromptEditor::PromptEditor(QWidget* parent) : QPlainTextEdit(parent) {
    new MarkerHighlighter(this);  // owned by the document
    setTabChangesFocus(true);
    setAccessibleName(tr("Prompt"));
    setPlaceholderText(tr("Ask something about the audio, for example: Describe this song."));
}

int PromptEditor::markerCount() const {
    return static_cast<int>(toPlainText().count(kMarker));
}

void PromptEditor::insertMarker() {
    insertPlainText(kMarker);
}

void PromptEditor::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && (event->modifiers() & Qt::ControlModifier) != 0) {
        Q_EMIT submitted();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

}  // namespace earscope
