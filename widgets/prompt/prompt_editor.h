#pragma once
#include <QPlainTextEdit>

namespace earscope {

/// The prompt, with its audio markers set off.
class PromptEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit PromptEditor(QWidget* parent = nullptr);

    /// Number of `<audio>` markers that the user wrote.
    int markerCount() const;
    void insertMarker();

Q_SIGNALS:
    /// Ctrl+Enter.
    void submitted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace earscope
