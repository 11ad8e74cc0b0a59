#include "app/gui/welcome_page.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace earscope {

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent),
      demo_(new QPushButton(tr("Try with the built-in demo"), this)),
      demo_moss_(new QPushButton(tr("Try MOSS-Music"), this)) {
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
    demo_moss_->setObjectName(QStringLiteral("welcomeDemoMoss"));
    demo_moss_->setToolTip(
        tr("Opens the tiny demonstration model of the second family, and the same clips."));
    auto* local =
        new QLabel(tr("Everything stays on this computer; nothing is downloaded or sent."), this);
    local->setWordWrap(true);
    local->setForegroundRole(QPalette::PlaceholderText);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addWidget(add);
    buttons->addStretch(1);
    // A row of their own: one row of four would be wider than a small screen leaves to the centre.
    auto* demos = new QHBoxLayout;
    demos->addWidget(demo_);
    demos->addWidget(demo_moss_);
    demos->addStretch(1);
    auto* column = new QVBoxLayout;
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(title);
    column->addWidget(text);
    column->addLayout(buttons);
    column->addLayout(demos);
    column->addWidget(local);
    column->addStretch(2);
    auto* layout = new QHBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(column, 6);
    layout->addStretch(1);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openModelRequested);
    connect(add, &QPushButton::clicked, this, &WelcomePage::addAudioRequested);
    connect(demo_, &QPushButton::clicked, this, &WelcomePage::demoRequested);
    connect(demo_moss_, &QPushButton::clicked, this, &WelcomePage::demoMossRequested);
}

void WelcomePage::setDemosAvailable(bool flamingo, bool moss) {
    demo_moss_->setVisible(moss);
    demo_->setEnabled(flamingo);
    demo_->setToolTip(flamingo
                          ? tr("Opens a tiny model and sound clips that ship with the program.")
                          : tr("The demonstration model was not found beside the program."));
}

}  // namespace earscope
