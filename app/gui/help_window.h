#pragma once
#include <QDialog>

class QTextBrowser;

namespace earscope {

/// The program's help, chapter by chapter, beside the window.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Name of a chapter, e.g. "lens"; an unknown one shows the contents.
    void showChapter(const QString& name);
    QTextBrowser* browser() const { return browser_; }

private:
    QTextBrowser* browser_;
};

}  // namespace earscope
