#include "widgets/look/look_page.h"

#include "widgets/look/wrap_layout.h"
#include "widgets/model/display_text.h"
#include "widgets/plot/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace earscope {
namespace {

/// A line that stands out: amber by its palette, and by its words.
QLabel* banner(QWidget* parent, const QString& name) {
    auto* label = new QLabel(parent);
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setMargin(4);
    label->setAutoFillBackground(true);
    label->setBackgroundRole(QPalette::ToolTipBase);
    label->setForegroundRole(QPalette::ToolTipText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->hide();
    return label;
}

}  // namespace

LookPage::LookPage(const QString& run, const QString& help, QWidget* parent)
    : QWidget(parent), help_(help) {
    settings_ = new QWidget(this);
    auto* row = new WrapLayout(settings_);
    run_ = new QPushButton(run, settings_);
    run_->setObjectName(QStringLiteral("lookRun"));
    row->addWidget(run_);
    export_ = new QPushButton(tr("E&xport…"), settings_);
    export_->setObjectName(QStringLiteral("lookExport"));
    row->addWidget(export_);
    line_ = new QLabel(this);
    line_->setObjectName(QStringLiteral("lookLine"));
    line_->setWordWrap(true);
    edited_ = banner(this, QStringLiteral("lookEdited"));
    outdated_ = banner(this, QStringLiteral("lookOutdated"));
    pages_ = new QStackedWidget(this);
    pages_->addWidget(buildEmpty());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 4);
    layout->setSpacing(4);
    layout->addWidget(settings_);
    layout->addWidget(line_);
    layout->addWidget(edited_);
    layout->addWidget(outdated_);
    layout->addWidget(pages_, 1);
    connect(run_, &QPushButton::clicked, this, &LookPage::runRequested);
    connect(export_, &QPushButton::clicked, this, &LookPage::exportRequested);
    refresh();
}

QWidget* LookPage::buildEmpty() {
    auto* page = new QWidget(this);
    empty_text_ = new QLabel(help_, page);
    empty_text_->setObjectName(QStringLiteral("lookEmpty"));
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignCenter);
    empty_action_ = new QPushButton(page);
    empty_action_->setObjectName(QStringLiteral("lookEmptyAction"));
    auto* layout = new QVBoxLayout(page);
    layout->addStretch(1);
    layout->addWidget(empty_text_);
    layout->addWidget(empty_action_, 0, Qt::AlignCenter);
    layout->addStretch(1);
    connect(empty_action_, &QPushButton::clicked, this, [this] {
        switch (empty_action_kind_) {
            case EmptyAction::OpenModel:
                Q_EMIT openModelRequested();
                break;
            case EmptyAction::AddAudio:
                Q_EMIT addAudioRequested();
                break;
            case EmptyAction::Run:
                Q_EMIT runRequested();
                break;
            case EmptyAction::None:
                break;
        }
    });
    return page;
}

void LookPage::addSetting(const QString& label, QWidget* control) {
    auto* pair = new QWidget(settings_);
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto* text = new QLabel(label, pair);
    text->setBuddy(control);
    control->setParent(pair);
    row->addWidget(text);
    row->addWidget(control);
    addTool(pair);
}

void LookPage::addTool(QWidget* control) {
    // The buttons that run and export stay the last of the line.
    QLayout* row = settings_->layout();
    row->removeWidget(run_);
    row->removeWidget(export_);
    row->addWidget(control);
    row->addWidget(run_);
    row->addWidget(export_);
    setTabOrder(control, run_);
}

void LookPage::setRunText(const QString& text) {
    run_->setText(text);
    refresh();
}

void LookPage::addHeader(QWidget* header) {
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertWidget(column->indexOf(pages_), header);
}

void LookPage::setContent(QWidget* content) {
    content_ = content;
    // In a low window the page is scrolled; squeezed, its pictures could not be read.
    auto* scroll = new QScrollArea(pages_);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    pages_->addWidget(scroll);
}

void LookPage::setRunReason(const QString& reason) {
    run_reason_ = reason;
    refresh();
}

void LookPage::setSettingsProblem(const QString& problem) {
    settings_problem_ = problem;
    refresh();
}

void LookPage::setPendingEdits(const QStringList& edits) {
    pending_edits_ = edits;
    refresh();
}

void LookPage::setEstimate(const QString& text, bool warn) {
    estimate_ = text;
    warn_ = warn;
    refresh();
}

void LookPage::showEmpty(const QString& text, EmptyAction action) {
    empty_text_->setText(help_ + QLatin1Char('\n') + text);
    empty_action_kind_ = action;
    has_result_ = false;
    edited_->hide();
    outdated_text_.clear();
    refresh();
}

void LookPage::clearResult() {
    has_result_ = false;
    edited_->hide();
    ended_.clear();
    outdated_text_.clear();
    refresh();
}

void LookPage::showBusy(const QString& text) {
    busy_ = text;
    ended_.clear();
    refresh();
}

void LookPage::showEnded(const QString& text) {
    busy_.clear();
    ended_ = text;
    refresh();
}

void LookPage::showResult(const QStringList& edits) {
    busy_.clear();
    ended_.clear();
    outdated_text_.clear();
    has_result_ = true;
    edited_->setText(editedText(edits));
    edited_->setVisible(!edits.isEmpty());
    refresh();
}

void LookPage::setOutdated(const QString& text) {
    outdated_text_ = text;
    refresh();
}

void LookPage::setExportReason(const QString& reason) {
    export_reason_ = reason;
    refresh();
}

void LookPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
    QWidget::changeEvent(event);
}

void LookPage::refresh() {
    const QString reason = settings_problem_.isEmpty() ? run_reason_ : settings_problem_;
    const bool had_focus = run_->hasFocus() || empty_action_->hasFocus();
    run_->setEnabled(reason.isEmpty() && busy_.isEmpty());
    run_->setToolTip(reason.isEmpty() ? help_ : reason);
    export_->setEnabled(has_result_ && export_reason_.isEmpty() && busy_.isEmpty());
    export_->setToolTip(!has_result_ ? tr("There is nothing to write yet.")
                        : export_reason_.isEmpty()
                            ? tr("Writes what this page shows to a file, as earscope-cli does.")
                            : export_reason_);
    QStringList parts;
    if (!busy_.isEmpty()) {
        parts << busy_;
    } else if (!reason.isEmpty()) {
        parts << reason;
    } else {
        if (!ended_.isEmpty()) {
            parts << ended_;
        }
        if (!estimate_.isEmpty()) {
            parts << (warn_ ? tr("Mind: %1").arg(estimate_) : estimate_);
        }
        if (!pending_edits_.isEmpty()) {
            parts << tr("The next run will be edited: %1.")
                         .arg(pending_edits_.join(QStringLiteral(", ")));
        }
    }
    line_->setText(parts.join(QLatin1Char(' ')));
    line_->setVisible(!parts.isEmpty());
    QPalette colours;  // empty: as the page
    if (warn_ && busy_.isEmpty() && reason.isEmpty()) {
        colours.setColor(QPalette::WindowText, noticeColor(palette()));
    }
    line_->setPalette(colours);
    outdated_->setText(outdated_text_);
    outdated_->setVisible(!outdated_text_.isEmpty());

    const bool content = has_result_ && content_ != nullptr;
    pages_->setCurrentIndex(content ? 1 : 0);
    const bool runs = empty_action_kind_ == EmptyAction::Run;
    empty_action_->setVisible(empty_action_kind_ != EmptyAction::None && busy_.isEmpty());
    empty_action_->setEnabled(!runs || run_->isEnabled());
    empty_action_->setText(runs                                           ? run_->text()
                           : empty_action_kind_ == EmptyAction::OpenModel ? tr("Open a model…")
                                                                          : tr("Add audio…"));
    keepFocus(had_focus);
}

void LookPage::keepFocus(bool had_focus) {
    // A button that goes while it runs gives its focus to another widget. Whoever works by keys and
    // stayed there meanwhile gets back to it.
    if (had_focus && !busy_.isEmpty()) {
        focus_moved_to_ = window()->focusWidget();
    } else if (focus_moved_to_ && run_->isEnabled()) {
        if (window()->focusWidget() == focus_moved_to_) {
            run_->setFocus();
        }
        focus_moved_to_ = nullptr;
    }
}

}  // namespace earscope
