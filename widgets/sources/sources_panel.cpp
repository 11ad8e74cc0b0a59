#include "widgets/sources/sources_panel.h"

#include "widgets/plot/theme.h"
#include "widgets/sources/glyphs.h"
#include "widgets/sources/source_row.h"

#include <QDragEnterEvent>
#include <QEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {

namespace {

constexpr int kDropLine = 3;  // pixels

int draggedRow(const QMimeData& mime) {
    return mime.hasFormat(QLatin1String(kSourceRowMime))
               ? mime.data(QLatin1String(kSourceRowMime)).toInt()
               : -1;
}

}  // namespace

SourcesPanel::SourcesPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("sourcesPanel"));
    setAccessibleName(tr("Sources"));
    setAcceptDrops(true);
    layout_ = new QVBoxLayout(this);
    layout_->setContentsMargins(4, 4, 4, 4);
    layout_->setSpacing(4);
    buildList();
    buildButtons();
    refresh();
}

void SourcesPanel::buildList() {
    empty_ = new QLabel(tr("Drop up to five audio files here. Order matters."), this);
    empty_->setObjectName(QStringLiteral("sourcesEmpty"));
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setMargin(8);
    layout_->addWidget(empty_, 1);

    scroll_ = new QScrollArea(this);
    scroll_->setObjectName(QStringLiteral("sourcesList"));
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    row_layout_ = new QVBoxLayout(content);
    row_layout_->setContentsMargins(0, 0, 0, 0);
    row_layout_->setSpacing(4);
    row_layout_->addStretch(1);
    scroll_->setWidget(content);
    layout_->addWidget(scroll_, 1);
    drop_line_ = new QWidget(content);
    drop_line_->setAutoFillBackground(true);
    drop_line_->hide();

    message_ = new QLabel(this);
    message_->setObjectName(QStringLiteral("sourcesMessage"));
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    message_->hide();
    layout_->addWidget(message_);
}

void SourcesPanel::buildButtons() {
    add_ = new QPushButton(tr("&Add…"), this);
    add_->setObjectName(QStringLiteral("addSource"));
    record_ = new QPushButton(tr("&Record"), this);
    record_->setObjectName(QStringLiteral("recordSource"));
    record_->setCheckable(true);
    count_ = new QLabel(this);
    count_->setObjectName(QStringLiteral("sourcesCount"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(add_);
    buttons->addWidget(record_);
    buttons->addStretch(1);
    buttons->addWidget(count_);
    layout_->addLayout(buttons);
    connect(add_, &QPushButton::clicked, this, &SourcesPanel::chooseFiles);
    connect(record_, &QPushButton::toggled, this, [this](bool shown) {
        if (controls_ != nullptr) {
            controls_->setVisible(shown);
        }
        Q_EMIT recordRequested(shown);
    });
}

void SourcesPanel::setRecordingControls(QWidget* controls) {
    controls_ = controls;
    layout_->addWidget(controls);
    controls->setVisible(record_->isChecked());
}

void SourcesPanel::showRecording(bool shown) {
    if (record_->isEnabled() || !shown) {
        record_->setChecked(shown);
    }
}

void SourcesPanel::setSources(std::vector<SourceEntry> entries) {
    if (entries.size() > kMaxSources) {
        entries.resize(kMaxSources);
    }
    entries_ = std::move(entries);
    while (rows_.size() > entries_.size()) {
        // A row may be told so from within its own signal.
        rows_.back()->hide();
        rows_.back()->deleteLater();
        rows_.pop_back();
    }
    while (rows_.size() < entries_.size()) {
        addRow();
    }
    playing_ = playing_ < static_cast<int>(entries_.size()) ? playing_ : -1;
    refresh();
    if (focus_after_move_ >= 0 && focus_after_move_ < static_cast<int>(rows_.size())) {
        rows_[static_cast<std::size_t>(focus_after_move_)]->setFocus();
    }
    focus_after_move_ = -1;
}

void SourcesPanel::addRow() {
    auto* row = new SourceRow(scroll_->widget());
    const int index = static_cast<int>(rows_.size());
    row_layout_->insertWidget(index, row);
    rows_.push_back(row);
    connect(row, &SourceRow::removeClicked, this, [this, index] {
        clearMessage();
        commitLabels();
        Q_EMIT removeRequested(index);
    });
    connect(row, &SourceRow::moveClicked, this,
            [this, index](int step) { requestMove(index, index + step); });
    connect(row, &SourceRow::playClicked, this, [this, index] { Q_EMIT playRequested(index); });
    connect(row, &SourceRow::stopClicked, this, &SourcesPanel::stopRequested);
    connect(row, &SourceRow::labelEdited, this, [this, index](const QString& label) {
        entries_[static_cast<std::size_t>(index)].label = label;
        Q_EMIT labelChanged(index, label);
    });
    connect(row, &SourceRow::activated, this, [this, index] { Q_EMIT sourceActivated(index); });
}

void SourcesPanel::commitLabels() {
    for (SourceRow* row : rows_) {
        row->commitLabel();
    }
}

void SourcesPanel::requestMove(int from, int to) {
    clearMessage();
    commitLabels();
    focus_after_move_ = to;
    Q_EMIT moveRequested(from, to);
}

void SourcesPanel::setPlaying(int index) {
    playing_ = index;
    refresh();
}

void SourcesPanel::setPlaybackReason(const QString& reason) {
    playback_reason_ = reason;
    refresh();
}

void SourcesPanel::showMessage(const QString& message) {
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
}

void SourcesPanel::clearMessage() {
    showMessage({});
}

void SourcesPanel::refresh() {
    const int count = static_cast<int>(entries_.size());
    for (int i = 0; i < count; ++i) {
        rows_[static_cast<std::size_t>(i)]->setEntry(entries_[static_cast<std::size_t>(i)],
                                                     {i, count, i == playing_, playback_reason_});
    }
    const bool full = count >= kMaxSources;
    empty_->setVisible(count == 0);
    scroll_->setVisible(count > 0);
    count_->setText(tr("%1 of %2").arg(count).arg(kMaxSources));
    const QString reason = tr("A request has at most five sources.");
    add_->setEnabled(!full);
    add_->setToolTip(full ? reason : tr("Add sound files (Ctrl+I)"));
    // What is being recorded can still be stopped when the list has become full.
    record_->setEnabled(!full || record_->isChecked());
    record_->setToolTip(full ? reason : tr("Show the recording controls (Ctrl+R)"));
    showColors();
}

void SourcesPanel::showColors() {
    add_->setIcon(glyphIcon(Glyph::Add, palette()));
    record_->setIcon(glyphIcon(Glyph::Record, palette()));
    const auto paint = [](QWidget* widget, QPalette::ColorRole role, const QColor& color) {
        QPalette colors = widget->palette();
        colors.setColor(role, color);
        widget->setPalette(colors);
    };
    paint(message_, QPalette::WindowText, errorColor(palette()));
    paint(empty_, QPalette::WindowText, quietTextColor(palette()));
    paint(drop_line_, QPalette::Window, palette().color(QPalette::Highlight));
}

void SourcesPanel::chooseFiles() {
    clearMessage();
    auto* dialog = new QFileDialog(this, tr("Add sound files"));
    dialog->setObjectName(QStringLiteral("addSourcesDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Sound files (%1)")
                                .arg(QStringLiteral("*.wav *.flac *.mp3 *.ogg *.oga *.opus *.aif "
                                                    "*.aiff *.aifc *.au *.snd *.caf *.w64 *.rf64")),
                            tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this,
            [this](const QStringList& paths) { add(judgePaths(paths)); });
    dialog->open();
}

void SourcesPanel::add(const DropVerdict& verdict) {
    showMessage(verdict.refusals.join(QLatin1Char('\n')));
    if (!verdict.paths.isEmpty()) {
        Q_EMIT addRequested(verdict.paths);
    }
}

int SourcesPanel::rowBoundaryAt(const QPoint& position) const {
    const QPoint inside = scroll_->widget()->mapFrom(this, position);
    int boundary = 0;
    for (const SourceRow* row : rows_) {
        boundary += inside.y() > row->geometry().center().y() ? 1 : 0;
    }
    return boundary;
}

void SourcesPanel::showDropLine(int boundary) {
    drop_line_->setVisible(boundary >= 0 && !rows_.empty());
    if (boundary < 0 || rows_.empty()) {
        return;
    }
    const auto last = rows_.size() - 1;
    const auto at = static_cast<std::size_t>(boundary);
    const int y =
        at <= last ? rows_[at]->geometry().top() - kDropLine : rows_[last]->geometry().bottom() + 1;
    drop_line_->setGeometry(0, std::max(0, y), scroll_->widget()->width(), kDropLine);
    drop_line_->raise();
}

void SourcesPanel::setDropHint(bool shown) {
    drop_hint_ = shown;
    update();
}

void SourcesPanel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    if (entries_.empty()) {
        // Where files may be dropped.
        const QColor color =
            drop_hint_ ? palette().color(QPalette::Highlight) : quietTextColor(palette());
        painter.setPen(QPen(color, drop_hint_ ? 3 : 1, Qt::DashLine));
        painter.drawRoundedRect(empty_->geometry().adjusted(2, 2, -3, -3), 6, 6);
    } else if (drop_hint_) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void SourcesPanel::dragEnterEvent(QDragEnterEvent* event) {
    // Accepted in any case, so that moving over the panel can say why a drop would be refused.
    event->accept();
    if (draggedRow(*event->mimeData()) < 0) {
        showMessage(judgeDrop(*event->mimeData()).refusals.join(QLatin1Char('\n')));
    }
}

void SourcesPanel::dragMoveEvent(QDragMoveEvent* event) {
    if (draggedRow(*event->mimeData()) >= 0) {
        showDropLine(rowBoundaryAt(event->position().toPoint()));
        event->setDropAction(Qt::MoveAction);
        event->accept();
    } else if (!judgeDrop(*event->mimeData()).paths.isEmpty()) {
        setDropHint(true);
        event->setDropAction(Qt::CopyAction);
        event->accept();
    } else {
        event->ignore();
    }
}

void SourcesPanel::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
    showDropLine(-1);
    setDropHint(false);
}

void SourcesPanel::dropEvent(QDropEvent* event) {
    showDropLine(-1);
    setDropHint(false);
    const int from = draggedRow(*event->mimeData());
    if (from < 0) {
        add(judgeDrop(*event->mimeData()));
        event->setDropAction(Qt::CopyAction);
        event->accept();
        return;
    }
    const int boundary = rowBoundaryAt(event->position().toPoint());
    const int to = boundary > from ? boundary - 1 : boundary;
    if (to != from && from < static_cast<int>(rows_.size())) {
        requestMove(from, to);
    }
    event->setDropAction(Qt::MoveAction);
    event->accept();
}

void SourcesPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && drop_line_ != nullptr && record_ != nullptr) {
        showColors();
    }
}

}  // namespace earscope
