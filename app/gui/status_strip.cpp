#include "app/gui/status_strip.h"

#include "app/gui/problem_list.h"
#include "widgets/model/display_text.h"

#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

namespace earscope {
namespace {

constexpr int kBarSteps = 1'000;

}  // namespace

StatusStrip::StatusStrip(QWidget* parent)
    : QStatusBar(parent),
      state_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      context_(new QLabel(this)),
      speed_(new QLabel(this)),
      problems_(new ProblemList(this)) {
    state_->setObjectName(QStringLiteral("stateText"));
    bar_->setObjectName(QStringLiteral("progress"));
    cancel_->setObjectName(QStringLiteral("cancel"));
    context_->setObjectName(QStringLiteral("context"));
    speed_->setObjectName(QStringLiteral("speed"));
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    bar_->setFixedWidth(140);
    bar_->setMaximumHeight(14);
    cancel_->setToolTip(tr("Stops what is running (Esc)."));
    addWidget(state_, 1);
    addPermanentWidget(bar_);
    addPermanentWidget(cancel_);
    addPermanentWidget(context_);
    addPermanentWidget(speed_);
    addPermanentWidget(problems_);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        cancel_->setEnabled(false);
        state_->setText(tr("Stopping…"));
        Q_EMIT cancelRequested();
    });
    setBusy(false);
    setContext(0, 0, 0);
    setSpeed(0, 0);
}

void StatusStrip::setBusy(bool busy) {
    busy_ = busy;
    bar_->setVisible(busy);
    cancel_->setVisible(busy);
    cancel_->setEnabled(busy);
    bar_->setRange(0, 0);
    state_->setText(busy ? tr("Working…") : idle_text_);
}

void StatusStrip::setProgress(JobId /*id*/, const Progress& progress) {
    if (!busy_ || !cancel_->isEnabled()) {
        return;
    }
    state_->setText(progressText(progress));
    if (progress.total > 0) {
        bar_->setRange(0, kBarSteps);
        bar_->setValue(static_cast<int>(static_cast<double>(progress.done) /
                                        static_cast<double>(progress.total) * kBarSteps));
    } else {
        bar_->setRange(0, 0);
    }
}

void StatusStrip::setIdleText(const QString& text) {
    idle_text_ = text;
    if (!busy_) {
        state_->setText(text);
    }
}

void StatusStrip::setContext(int promptTokens, int audioTokens, int contextLength) {
    const QLocale locale;
    context_->setVisible(contextLength > 0);
    context_->setText(promptTokens > 0
                          ? tr("Context %1 / %2 (audio %3)")
                                .arg(locale.toString(promptTokens), locale.toString(contextLength),
                                     locale.toString(audioTokens))
                          : tr("Context – / %1").arg(locale.toString(contextLength)));
    context_->setToolTip(tr("Tokens of the prompt, of the model's context; of these audio."));
}

void StatusStrip::setSpeed(int tokens, double tokensPerSecond) {
    speed_->setVisible(tokens > 0);
    speed_->setText(
        tr("%1 tokens/s")
            .arg(QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10 ? 2 : 1)));
}

}  // namespace earscope
