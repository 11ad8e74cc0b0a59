#include "app/gui/help_window.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

/// The chapters are compiled into a static library, from which nothing else would take them. Qt's
/// macro does not work inside a namespace.
static void initHelpResources() {
    Q_INIT_RESOURCE(help);
}

namespace earscope {

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), browser_(new QTextBrowser(this)) {
    initHelpResources();
    setWindowTitle(tr("Earscope help"));
    browser_->setObjectName(QStringLiteral("helpBrowser"));
    browser_->setAccessibleName(tr("Help"));
    browser_->setSearchPaths({QStringLiteral(":/earscope/help")});
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* contents = buttons->addButton(tr("Contents"), QDialogButtonBox::ActionRole);
    QPushButton* back = buttons->addButton(tr("Back"), QDialogButtonBox::ActionRole);
    back->setEnabled(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(browser_, 1);
    layout->addWidget(buttons);
    resize(720, 640);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(contents, &QPushButton::clicked, this, [this] { showChapter({}); });
    connect(back, &QPushButton::clicked, browser_, &QTextBrowser::backward);
    connect(browser_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
}

void HelpWindow::showChapter(const QString& name) {
    const QString file = name + QStringLiteral(".html");
    const bool known = QFile::exists(QStringLiteral(":/earscope/help/") + file);
    browser_->setSource(QUrl(QStringLiteral("qrc:/earscope/help/") +
                             (known ? file : QStringLiteral("index.html"))));
    show();
    raise();
    activateWindow();
}

}  // namespace earscope
