#include "widgets/sources/source_row.h"

#include "widgets/plot/theme.h"
#include "widgets/signal/time_axis.h"
#include "widgets/sources/glyphs.h"

#include <QApplication>
#include <QDrag>
#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMimeData>
#include <QPainter>
#include <QToolButton>

namespace earscope {

const char* const kSourceRowMime = "application/x-earscope-source-row";

QString sourceFileName(const SourceEntry& entry) {
    return QFileInfo(entry.path).fileName();
}

QString sourceFacts(const SourceEntry& entry) {
    const QLocale locale;
    QStringList facts;
    if (entry.sampleRate > 0) {
        facts << SourceRow::tr("%1 kHz").arg(locale.toString(entry.sampleRate / 1000.0, 'g', 6));
    }
    if (entry.channels > 0) {
        facts << (entry.channels == 1   ? SourceRow::tr("mono")
                  : entry.channels == 2 ? SourceRow::tr("stereo")
                                        : SourceRow::tr("%n channels", nullptr, entry.channels));
    }
    if (entry.durationSeconds > 0) {
        const bool short_sound = entry.durationSeconds < 10;
        const QString time = timeText(entry.durationSeconds, short_sound ? 0.01 : 0.1);
        facts << (entry.durationSeconds < 60 ? SourceRow::tr("%1 s").arg(time) : time);
    }
    return facts.join(QStringLiteral(" · "));
}

QString sourceTokens(const SourceEntry& entry) {
    if (entry.tokens >= 0) {
        return entry.tokens == 0 ? SourceRow::tr("0 tokens: shorter than one token")
                                 : SourceRow::tr("%1 tokens").arg(QLocale().toString(entry.tokens));
    }
    if (entry.expectedTokens < 0) {
        return {};
    }
    return entry.expectedTokens == 0
               ? SourceRow::tr("0 tokens expected: shorter than one token")
               : SourceRow::tr("%1 tokens expected").arg(QLocale().toString(entry.expectedTokens));
}

SourceRow::SourceRow(QWidget* parent) : QFrame(parent) {
    setFocusPolicy(Qt::StrongFocus);
    build();
    connectButtons();
}

QToolButton* SourceRow::makeButton(const QString& name) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setAutoRaise(true);
    button->setIconSize(QSize(14, 14));
    button->setFixedSize(24, 24);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void SourceRow::build() {
    number_ = new QLabel(this);
    number_->setObjectName(QStringLiteral("number"));
    number_->setAlignment(Qt::AlignCenter);
    number_->setCursor(Qt::OpenHandCursor);
    number_->setToolTip(tr("Drag to change the order"));
    label_ = new QLineEdit(this);
    label_->setObjectName(QStringLiteral("label"));
    label_->setMaxLength(200);
    // A file dropped here is a source, not a label.
    label_->setAcceptDrops(false);
    file_ = new QLabel(this);
    file_->setObjectName(QStringLiteral("file"));
    file_->setTextFormat(Qt::PlainText);
    file_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    file_->installEventFilter(this);  // its width decides what is left out
    facts_ = new QLabel(this);
    facts_->setObjectName(QStringLiteral("facts"));
    facts_->setTextFormat(Qt::PlainText);
    facts_->setWordWrap(true);
    notices_ = new QLabel(this);
    notices_->setObjectName(QStringLiteral("notices"));
    notices_->setTextFormat(Qt::PlainText);
    notices_->setWordWrap(true);
    notices_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    play_ = makeButton(QStringLiteral("play"));
    up_ = makeButton(QStringLiteral("moveUp"));
    down_ = makeButton(QStringLiteral("moveDown"));
    remove_ = makeButton(QStringLiteral("remove"));

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(0);
    for (QToolButton* button : {play_, up_, down_, remove_}) {
        buttons->addWidget(button);
    }
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(6, 5, 4, 6);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->addWidget(number_, 0, 0);
    grid->addWidget(label_, 0, 1);
    grid->addLayout(buttons, 0, 2);
    grid->addWidget(file_, 1, 1, 1, 2);
    grid->addWidget(facts_, 2, 1, 1, 2);
    grid->addWidget(notices_, 3, 1, 1, 2);
}

void SourceRow::connectButtons() {
    connect(play_, &QToolButton::clicked, this,
            [this] { state_.playing ? Q_EMIT stopClicked() : Q_EMIT playClicked(); });
    connect(up_, &QToolButton::clicked, this, [this] { Q_EMIT moveClicked(-1); });
    connect(down_, &QToolButton::clicked, this, [this] { Q_EMIT moveClicked(1); });
    connect(remove_, &QToolButton::clicked, this, &SourceRow::removeClicked);
    connect(label_, &QLineEdit::editingFinished, this, &SourceRow::commitLabel);
}

void SourceRow::commitLabel() {
    label_->setModified(false);
    if (label_->text() != entry_.label) {
        entry_.label = label_->text();
        Q_EMIT labelEdited(entry_.label);
    }
}

void SourceRow::setEntry(const SourceEntry& entry, const State& state) {
    entry_ = entry;
    state_ = state;
    setObjectName(QStringLiteral("sourceRow%1").arg(state.index));
    showEntry();
    showButtons();
    showColors();
}

void SourceRow::showEntry() {
    number_->setText(QLocale().toString(state_.index + 1));
    // What is being typed must not be replaced under the user's hands.
    if (!label_->isModified()) {
        label_->setText(entry_.label);
    }
    label_->setPlaceholderText(tr("Label (optional)"));
    label_->setAccessibleName(tr("Label of source %1").arg(state_.index + 1));
    file_->setToolTip(entry_.path);
    file_->setAccessibleName(sourceFileName(entry_));
    elideFileName();

    QStringList facts;
    for (const QString& part : {sourceFacts(entry_), sourceTokens(entry_)}) {
        if (!part.isEmpty()) {
            facts << part;
        }
    }
    if (entry_.loading) {
        facts = QStringList{tr("Reading…")};
    }
    facts_->setText(facts.join(QStringLiteral(" · ")));
    facts_->setVisible(!facts.isEmpty());
    QStringList notices = entry_.notices;
    if (!entry_.error.isEmpty()) {
        notices.prepend(tr("Error: %1").arg(entry_.error));
    }
    notices_->setText(notices.join(QLatin1Char('\n')));
    notices_->setVisible(!notices.isEmpty());
    const QString name = entry_.label.isEmpty() ? sourceFileName(entry_) : entry_.label;
    setAccessibleName(
        tr("source %1: %2, %3").arg(state_.index + 1).arg(name, facts.join(QStringLiteral(", "))));
    setAccessibleDescription(notices.join(QStringLiteral(". ")));
}

void SourceRow::showButtons() {
    const bool sound = entry_.error.isEmpty() && !entry_.loading;
    play_->setEnabled(state_.playing || (sound && state_.playbackReason.isEmpty()));
    const QString play = state_.playing ? tr("Stop") : tr("Play");
    play_->setToolTip(sound && !state_.playing && !state_.playbackReason.isEmpty()
                          ? state_.playbackReason
                          : play);
    up_->setEnabled(state_.index > 0);
    up_->setToolTip(tr("Move up (Alt+Up)"));
    down_->setEnabled(state_.index + 1 < state_.count);
    down_->setToolTip(tr("Move down (Alt+Down)"));
    remove_->setToolTip(tr("Remove (Del)"));
    const QString source = tr("source %1").arg(state_.index + 1);
    play_->setAccessibleName(play + QLatin1Char(' ') + source);
    up_->setAccessibleName(tr("Move up %1").arg(source));
    down_->setAccessibleName(tr("Move down %1").arg(source));
    remove_->setAccessibleName(tr("Remove %1").arg(source));
}

void SourceRow::showColors() {
    play_->setIcon(glyphIcon(state_.playing ? Glyph::Stop : Glyph::Play, palette()));
    up_->setIcon(glyphIcon(Glyph::Up, palette()));
    down_->setIcon(glyphIcon(Glyph::Down, palette()));
    remove_->setIcon(glyphIcon(Glyph::Remove, palette()));
    const auto paint = [](QWidget* widget, const QColor& text) {
        QPalette colors = widget->palette();
        colors.setColor(QPalette::WindowText, text);
        widget->setPalette(colors);
    };
    const bool failed = !entry_.error.isEmpty();
    paint(notices_, failed ? errorColor(palette()) : noticeColor(palette()));
    paint(file_, quietTextColor(palette()));
    const bool mute = entry_.tokens == 0 || (entry_.tokens < 0 && entry_.expectedTokens == 0);
    paint(facts_,
          mute && !entry_.loading ? errorColor(palette()) : palette().color(QPalette::Text));
    const QColor color = sourceColor(state_.index, palette());
    QPalette badge = number_->palette();
    badge.setColor(QPalette::Window, color);
    badge.setColor(QPalette::WindowText, readableOn(color));
    number_->setPalette(badge);
    number_->setAutoFillBackground(true);
    number_->setMinimumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) + 12);
    update();
}

void SourceRow::elideFileName() {
    file_->setText(
        file_->fontMetrics().elidedText(sourceFileName(entry_), Qt::ElideMiddle, file_->width()));
}

void SourceRow::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const bool failed = !entry_.error.isEmpty();
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    } else {
        painter.setPen(failed ? errorColor(palette()) : palette().color(QPalette::Mid));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

bool SourceRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == file_ && event->type() == QEvent::Resize) {
        elideFileName();
    }
    return QFrame::eventFilter(watched, event);
}

void SourceRow::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && number_ != nullptr) {
        showColors();
    } else if (event->type() == QEvent::LanguageChange && number_ != nullptr) {
        showEntry();
        showButtons();
    }
}

void SourceRow::focusInEvent(QFocusEvent* event) {
    QFrame::focusInEvent(event);
    update();
    Q_EMIT activated();
}

void SourceRow::focusOutEvent(QFocusEvent* event) {
    QFrame::focusOutEvent(event);
    update();
}

void SourceRow::keyPressEvent(QKeyEvent* event) {
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    if (alt && event->key() == Qt::Key_Up && up_->isEnabled()) {
        Q_EMIT moveClicked(-1);
    } else if (alt && event->key() == Qt::Key_Down && down_->isEnabled()) {
        Q_EMIT moveClicked(1);
    } else if (event->key() == Qt::Key_Delete) {
        Q_EMIT removeClicked();
    } else {
        QFrame::keyPressEvent(event);
    }
}

void SourceRow::mousePressEvent(QMouseEvent* event) {
    press_position_ = event->position().toPoint();
    setFocus(Qt::MouseFocusReason);
}

void SourceRow::mouseMoveEvent(QMouseEvent* event) {
    const QPoint moved = event->position().toPoint() - press_position_;
    if (!event->buttons().testFlag(Qt::LeftButton) ||
        moved.manhattanLength() < QApplication::startDragDistance()) {
        return;
    }
    auto* mime = new QMimeData;
    mime->setData(QLatin1String(kSourceRowMime), QByteArray::number(state_.index));
    auto* drag = new QDrag(this);  // deletes itself and the data
    drag->setMimeData(mime);
    drag->setPixmap(grab());
    drag->setHotSpot(press_position_);
    drag->exec(Qt::MoveAction);
}

}  // namespace earscope
