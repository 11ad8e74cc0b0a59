#include "app/gui/welcome_page.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace earscope {

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), demo_(new QPushButton(tr("Try with the built-in demo"), this)) {
    auto* title = new QLabel(tr("Earscope"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.8);
    large.setBold(true);
    title->setFont(large);
    auto* text = new QLabel(
        tr("See what a music language model hears: open a local model, add up to five sound files, "
           "ask, and look at the tokens and embeddings behind the answer."),
        this);
    text->setWordWrap(true);
    auto* open = new QPushButton(tr("Open model…"), this);
    open->setObjectName(QStringLiteral("welcomeOpen"));
    auto* add = new QPushButton(tr("Add audio…"), this);
    add->setObjectName(QStringLiteral("welcomeAdd"));
    demo_->setObjectName(QStringLiteral("welcomeDemo"));
    auto* local =
        new QLabel(tr("Everything stays on this computer; nothing is downloaded or sent."), this);
    local->setWordWrap(true);
    local->setForegroundRole(QPalette::PlaceholderText);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addWidget(add);
    buttons->addWidget(demo_);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout;
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(title);
    column->addWidget(text);
    column->addLayout(buttons);
    column->addWidget(local);
    column->addStretch(2);
    auto* layout = new QHBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(column, 6);
    layout->addStretch(1);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openModelRequested);
    connect(add, &QPushButton::clicked, this, &WelcomePage::addAudioRequested);
    connect(demo_, &QPushButton::clicked, this, &WelcomePage::demoRequested);
}

void WelcomePage::setDemoAvailable(bool available) {
    demo_->setEnabled(available);
    demo_->setToolTip(available
                          ? tr("Opens a tiny model and sound clips that ship with the program.")
                          : tr("The demonstration model was not found beside the program."));
}

}  // namespace earscope
