#include "widgets/look/cursor_bar.h"

#include "widgets/look/wrap_layout.h"
#include "widgets/plot/cursor_model.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace earscope {

CursorBar::CursorBar(QWidget* parent) : QWidget(parent) {
    source_ = new QSpinBox(this);
    source_->setObjectName(QStringLiteral("cursorSource"));
    source_->setAccessibleName(tr("Source of the cursor"));
    source_->setPrefix(tr("source "));
    source_->setMinimum(1);
    source_->setKeyboardTracking(false);
    seconds_ = new QDoubleSpinBox(this);
    seconds_->setObjectName(QStringLiteral("cursorSeconds"));
    seconds_->setAccessibleName(tr("Time of the cursor in seconds"));
    seconds_->setDecimals(3);
    seconds_->setSuffix(tr(" s"));
    seconds_->setSingleStep(0.1);
    seconds_->setKeyboardTracking(false);
    seconds_->setToolTip(tr("Type a time: all views go there."));
    play_ = new QToolButton(this);
    play_->setObjectName(QStringLiteral("cursorPlay"));
    play_->setText(tr("Play"));
    play_->setToolTip(tr("Plays the token under the cursor and half a second around it (P)."));
    text_ = new QLabel(this);
    text_->setObjectName(QStringLiteral("cursorText"));
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setMinimumHeight(seconds_->sizeHint().height());  // stands on their line
    auto* layout = new WrapLayout(this);
    layout->setContentsMargins(6, 4, 6, 0);
    for (QWidget* part : std::initializer_list<QWidget*>{source_, seconds_, play_, text_}) {
        layout->addWidget(part);
    }
    connect(source_, &QSpinBox::valueChanged, this, &CursorBar::lock);
    connect(seconds_, &QDoubleSpinBox::valueChanged, this, &CursorBar::lock);
    connect(play_, &QToolButton::clicked, this, &CursorBar::playRequested);
    refresh();
}

void CursorBar::setCursorModel(CursorModel* cursor) {
    if (cursor_) {
        cursor_->disconnect(this);
    }
    cursor_ = cursor;
    if (cursor_) {
        connect(cursor_, &CursorModel::pointChanged, this, &CursorBar::refresh);
        connect(cursor_, &CursorModel::sourcesChanged, this, &CursorBar::refresh);
    }
    refresh();
}

void CursorBar::setTokens(TokenList tokens) {
    axis_.tokens = std::move(tokens);
    axis_.indexTokens();
    refresh();
}

void CursorBar::lock() {
    if (cursor_) {
        cursor_->lock(source_->value() - 1, seconds_->value());
        refresh();
    }
}

void CursorBar::refresh() {
    const QSignalBlocker block_source(source_);
    const QSignalBlocker block_seconds(seconds_);
    const int sources = cursor_ ? cursor_->sourceCount() : 0;
    for (QWidget* part : std::initializer_list<QWidget*>{source_, seconds_, play_}) {
        part->setEnabled(sources > 0);
    }
    source_->setMaximum(std::max(1, sources));
    if (cursor_ && cursor_->isLocked()) {
        source_->setValue(cursor_->point().source + 1);
    }
    const int source = source_->value() - 1;
    seconds_->setMaximum(source < sources ? cursor_->source(source).durationSeconds : 0);
    if (cursor_ && cursor_->isLocked()) {
        seconds_->setValue(cursor_->point().seconds);
    }
    text_->setText(text());
}

QString CursorBar::text() const {
    if (!cursor_ || cursor_->sourceCount() == 0) {
        return tr("No sound yet.");
    }
    const CursorPoint point = cursor_->point();
    if (!point.isValid()) {
        return tr("Click into the sound, or type a time.");
    }
    const int token = cursor_->token();
    if (token < 0) {
        return tr("No token at this time.");
    }
    const QLocale locale;
    QString text = tr("Token %1 of source %2, %3 – %4 s")
                       .arg(locale.toString(token), locale.toString(point.source + 1),
                            locale.toString(cursor_->secondsOf(point.source, token), 'f', 3),
                            locale.toString(cursor_->endOf(point.source, token), 'f', 3));
    const int row = axis_.indexOfSlot(point.source, token);
    if (row >= 0) {
        text += tr(", position %1").arg(locale.toString(axis_.numberOf(row)));
    }
    return text;
}

}  // namespace earscope
