#include "widgets/prompt/prompt_panel.h"

#include "widgets/model/display_text.h"
#include "widgets/prompt/answer_view.h"
#include "widgets/prompt/context_bar.h"
#include "widgets/prompt/prompt_editor.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace earscope {
namespace {

const QLatin1String kGreedy("paper_reference");
const QLatin1String kSampled("generic_sampled");
constexpr int kDefaultBudget = 512;
constexpr int kMostBudget = 16'384;

QString rate(double tokensPerSecond) {
    return QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10 ? 2 : 1);
}

QLabel* wrappedLabel(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// A line that stands out: amber by its palette, and by its words.
QLabel* banner(const QString& name, QWidget* parent) {
    QLabel* label = wrappedLabel(name, parent);
    label->setTextFormat(Qt::PlainText);
    label->setAutoFillBackground(true);
    label->setMargin(4);
    label->setBackgroundRole(QPalette::ToolTipBase);
    label->setForegroundRole(QPalette::ToolTipText);
    label->hide();
    return label;
}

}  // namespace

PromptPanel::PromptPanel(QWidget* parent) : QWidget(parent) {
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setChildrenCollapsible(false);
    auto* top = new QWidget(split);
    auto* topLayout = new QVBoxLayout(top);
    topLayout->setContentsMargins(0, 0, 0, 0);
    topLayout->addWidget(buildEditor(), 1);
    topLayout->addWidget(buildSettings());
    split->addWidget(top);
    split->addWidget(buildAnswer());
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(split);
    setModel(0, false);
    refreshMarkers();
}

QToolButton* PromptPanel::buildExamples() {
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("promptExamples"));
    button->setText(tr("Examples"));
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    const QStringList examples{
        tr("Describe this music: genre, tempo, key, instruments and how it develops."),
        tr("Which instruments are heard, and when does each one enter?"),
        tr("What are the tempo in beats per minute, the key and the time signature?"),
        tr("How do these recordings differ?"),
    };
    for (const QString& example : examples) {
        menu->addAction(example, this, [this, example] { setPrompt(example); });
    }
    button->setMenu(menu);
    return button;
}

QWidget* PromptPanel::buildEditor() {
    auto* area = new QWidget(this);
    auto* heading = new QLabel(tr("&Prompt"), area);
    auto* marker = new QToolButton(area);
    marker->setObjectName(QStringLiteral("insertMarker"));
    marker->setText(tr("Insert <audio>"));
    marker->setToolTip(
        tr("Puts a marker at the text cursor. As many markers as sources are "
           "needed, or none at all: then they are put in front."));
    editor_ = new PromptEditor(area);
    editor_->setObjectName(QStringLiteral("promptEditor"));
    editor_->setMinimumHeight(editor_->fontMetrics().lineSpacing() * 3 + 12);
    heading->setBuddy(editor_);
    markers_ = wrappedLabel(QStringLiteral("markerPreview"), area);
    problem_ = wrappedLabel(QStringLiteral("promptProblem"), area);
    problem_->setTextFormat(Qt::PlainText);
    problem_->hide();

    auto* row = new QHBoxLayout;
    row->addWidget(heading, 1);
    row->addWidget(buildExamples());
    row->addWidget(marker);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(markers_);
    layout->addWidget(editor_, 1);
    layout->addWidget(problem_);
    connect(marker, &QToolButton::clicked, editor_, [this] {
        editor_->insertMarker();
        editor_->setFocus();
    });
    connect(editor_, &QPlainTextEdit::textChanged, this, [this] {
        refreshMarkers();
        Q_EMIT promptChanged(editor_->toPlainText());
    });
    connect(editor_, &PromptEditor::submitted, this, [this] {
        if (generate_->isEnabled()) {
            Q_EMIT generateRequested();
        }
    });
    return area;
}

QWidget* PromptPanel::buildSettings() {
    auto* area = new QWidget(this);
    profile_ = new QComboBox(area);
    profile_->setObjectName(QStringLiteral("profile"));
    profile_->addItem(tr("paper_reference (greedy)"), kGreedy);
    profile_->addItem(tr("generic_sampled (random)"), kSampled);
    profile_->setItemData(0, tr("Always the likeliest token; the same answer every time."),
                          Qt::ToolTipRole);
    profile_->setItemData(1, tr("Draws from the 50 likeliest tokens; the seed decides."),
                          Qt::ToolTipRole);
    budget_ = new QSpinBox(area);
    budget_->setObjectName(QStringLiteral("budget"));
    budget_->setRange(1, kMostBudget);
    budget_->setValue(kDefaultBudget);
    budget_->setGroupSeparatorShown(true);
    budget_->setSuffix(tr(" tokens"));
    budget_->setToolTip(tr("The answer ends here if the model has not ended it before."));
    seed_ = new QSpinBox(area);
    seed_->setObjectName(QStringLiteral("seed"));
    seed_->setRange(0, std::numeric_limits<int>::max());
    seed_->setValue(3407);
    seed_->setEnabled(false);
    seed_->setToolTip(tr("Used by the sampled profile only."));
    generate_ = new QPushButton(tr("Generate"), area);
    generate_->setObjectName(QStringLiteral("generate"));
    stop_ = new QPushButton(tr("Stop"), area);
    stop_->setObjectName(QStringLiteral("stop"));
    stop_->setToolTip(tr("Ends the run; what was generated so far stays (Esc)."));
    edits_chip_ = new QToolButton(area);
    edits_chip_->setObjectName(QStringLiteral("editsChip"));
    edits_chip_->hide();
    context_ = new ContextBar(area);
    context_->setObjectName(QStringLiteral("contextBar"));
    context_text_ = wrappedLabel(QStringLiteral("contextText"), area);

    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Pro&file"), profile_);
    form->addRow(tr("&Budget"), budget_);
    form->addRow(tr("Se&ed"), seed_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(generate_, 2);
    buttons->addWidget(stop_, 1);
    buttons->addWidget(edits_chip_);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(form);
    layout->addWidget(context_);
    layout->addWidget(context_text_);
    layout->addLayout(buttons);

    connect(profile_, &QComboBox::currentIndexChanged, this, [this] {
        seed_->setEnabled(profile_->currentData().toString() == kSampled);
        Q_EMIT settingsChanged();
    });
    connect(budget_, &QSpinBox::valueChanged, this, [this] {
        refreshContext();
        Q_EMIT settingsChanged();
    });
    connect(seed_, &QSpinBox::valueChanged, this, &PromptPanel::settingsChanged);
    connect(generate_, &QPushButton::clicked, this, &PromptPanel::generateRequested);
    connect(edits_chip_, &QToolButton::clicked, this, &PromptPanel::editsRequested);
    connect(stop_, &QPushButton::clicked, this, [this] {
        stop_->setEnabled(false);
        status_->setText(tr("Stopping…"));
        Q_EMIT stopRequested();
    });
    return area;
}

QWidget* PromptPanel::buildAnswer() {
    auto* area = new QWidget(this);
    auto* heading = new QLabel(tr("Answer"), area);
    copy_ = new QPushButton(tr("Copy"), area);
    copy_->setObjectName(QStringLiteral("copyAnswer"));
    copy_->setEnabled(false);
    untrained_ = banner(QStringLiteral("untrainedAnswer"), area);
    untrained_->setText(tr("Random weights: the words of this model mean nothing."));
    edited_ = banner(QStringLiteral("answerEdited"), area);
    outdated_ = banner(QStringLiteral("answerOutdated"), area);
    answer_ = new AnswerView(area);
    answer_->setObjectName(QStringLiteral("answer"));
    answer_->setAccessibleName(tr("Answer"));
    answer_->setPlaceholderText(tr("The answer appears here while it is generated."));
    status_ = wrappedLabel(QStringLiteral("answerStatus"), area);
    status_->setTextFormat(Qt::PlainText);

    auto* row = new QHBoxLayout;
    row->addWidget(heading, 1);
    row->addWidget(copy_);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(untrained_);
    layout->addWidget(edited_);
    layout->addWidget(outdated_);
    layout->addWidget(answer_, 1);
    layout->addWidget(status_);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(answer_->text()); });
    return area;
}

PromptSettings PromptPanel::settings() const {
    return {editor_->toPlainText(), profile_->currentData().toString(), budget_->value(),
            static_cast<quint64>(seed_->value())};
}

void PromptPanel::setSettings(const PromptSettings& settings) {
    setPrompt(settings.prompt);
    profile_->setCurrentIndex(std::max(0, profile_->findData(settings.profile)));
    if (settings.budget > 0) {
        budget_->setValue(settings.budget);
    }
    seed_->setValue(
        static_cast<int>(std::min<quint64>(settings.seed, std::numeric_limits<int>::max())));
}

void PromptPanel::setPrompt(const QString& prompt) {
    if (prompt != editor_->toPlainText()) {
        editor_->setPlainText(prompt);
    }
}

void PromptPanel::setModel(int contextLength, bool untrained) {
    context_length_ = contextLength;
    untrained_->setVisible(untrained && contextLength > 0);
    budget_->setMaximum(contextLength > 0 ? std::min(kMostBudget, contextLength) : kMostBudget);
    setPromptTokens(0, 0);
}

void PromptPanel::setBudget(int tokens) {
    budget_->setValue(tokens);
}

void PromptPanel::setMarkedPrompt(const QString& marked) {
    marked_ = marked;
    refreshMarkers();
}

void PromptPanel::refreshMarkers() {
    const QString prompt = editor_->toPlainText();
    const bool inserted =
        marked_.size() > prompt.size() && marked_.endsWith(prompt) && editor_->markerCount() == 0;
    markers_->setVisible(inserted);
    if (!inserted) {
        return;
    }
    QString added = marked_.left(marked_.size() - prompt.size()).toHtmlEscaped();
    added.replace(QLatin1Char(' '), QChar::Nbsp).replace(QLatin1Char('\n'), QStringLiteral("⏎ "));
    markers_->setText(tr("Put in front when sent: %1")
                          .arg(QStringLiteral("<code>%1</code>").arg(added.trimmed())));
}

void PromptPanel::setProblem(const QString& problem) {
    problem_->setVisible(!problem.isEmpty());
    problem_->setText(problem.isEmpty() ? QString() : tr("⚠ %1").arg(problem));
}

void PromptPanel::setPromptTokens(int promptTokens, int audioTokens) {
    prompt_tokens_ = promptTokens;
    audio_tokens_ = audioTokens;
    refreshContext();
}

void PromptPanel::refreshContext() {
    context_->setUse({audio_tokens_, prompt_tokens_ - audio_tokens_, generated_, budget_->value(),
                      context_length_});
    QString text = context_->description();
    if (context_->isOver()) {
        text += QStringLiteral(". ") +
                tr("The answer will be cut to the %1 tokens that are left.")
                    .arg(QLocale().toString(std::max(0, context_length_ - prompt_tokens_)));
    }
    context_text_->setText(text);
}

void PromptPanel::setBlockedReason(const QString& reason) {
    blocked_reason_ = reason;
    refreshButtons();
}

void PromptPanel::refreshButtons() {
    generate_->setEnabled(!running_ && blocked_reason_.isEmpty());
    generate_->setToolTip(
        !blocked_reason_.isEmpty() ? blocked_reason_
        : edits_.isEmpty()
            ? tr("Runs the request (Ctrl+Enter).")
            : tr("Runs the request under %1 (Ctrl+Enter).").arg(editCount(edits_.size())));
    stop_->setEnabled(running_);
    copy_->setEnabled(!answer_->text().isEmpty());
    if (!running_ && answer_->text().isEmpty() && status_->text().isEmpty()) {
        answer_->setPlaceholderText(blocked_reason_.isEmpty() || !problem_->text().isEmpty()
                                        ? tr("The answer appears here while it is generated.")
                                        : blocked_reason_);
        // Qt draws another placeholder only when the field is painted for another reason.
        answer_->viewport()->update();
    }
}

void PromptPanel::setEdits(const QStringList& edits) {
    edits_ = edits;
    edits_chip_->setVisible(!edits.isEmpty());
    // Few words: a longer mark makes the dock wider than a small window has room for.
    edits_chip_->setText(editCount(edits.size()));
    edits_chip_->setAccessibleName(tr("%1 in force").arg(editCount(edits.size())));
    edits_chip_->setToolTip(
        tr("In force: the next run will be edited:\n%1\nClick to see and change them.")
            .arg(edits.join(QLatin1Char('\n'))));
    refreshButtons();
    refreshEdits();
}

void PromptPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && outdated_ != nullptr) {
        refreshEdits();
    }
    QWidget::changeEvent(event);
}

void PromptPanel::refreshEdits() {
    QPalette amber;  // the rest as the panel
    amber.setColor(QPalette::Button, palette().color(QPalette::ToolTipBase));
    amber.setColor(QPalette::ButtonText, palette().color(QPalette::ToolTipText));
    edits_chip_->setPalette(amber);
    const bool shown = running_ || !answer_->text().isEmpty();
    edited_->setText(editedText(answer_edits_));
    edited_->setVisible(shown && !answer_edits_.isEmpty());
    outdated_->setText(otherEditsText(answer_edits_, edits_));
    outdated_->setVisible(shown && answer_edits_ != edits_);
}

void PromptPanel::setRunning(bool running) {
    running_ = running;
    refreshButtons();
    refreshEdits();
}

void PromptPanel::beginAnswer() {
    answer_->clearText();
    answer_edits_ = edits_;
    generated_ = 0;
    status_->setText(tr("Waiting for the model…"));
    setRunning(true);
    refreshContext();
}

void PromptPanel::setStage(const QString& text) {
    if (running_ && generated_ == 0 && stop_->isEnabled()) {
        status_->setText(text);
    }
}

void PromptPanel::appendAnswer(const StreamValue& value) {
    answer_->appendPiece(value.text);
    generated_ = value.tokens;
    if (stop_->isEnabled()) {
        const QString tokens = QLocale().toString(generated_);
        status_->setText(value.tokensPerSecond > 0
                             ? tr("Token %1, %2 tokens/s").arg(tokens, rate(value.tokensPerSecond))
                             : tr("Token %1").arg(tokens));
    }
    copy_->setEnabled(true);
    refreshContext();
}

void PromptPanel::finishAnswer(const GenerationValue& value) {
    if (value.text.startsWith(answer_->text())) {
        answer_->appendPiece(value.text.mid(answer_->text().size()));
    } else {
        answer_->clearText();
        answer_->appendPiece(value.text);
    }
    answer_edits_ = value.edits;
    generated_ = static_cast<int>(value.tokens.size());
    const QString end = value.finish == QLatin1String("length")
                            ? tr("ended because the budget is used up")
                            : tr("ended by the model");
    status_->setText(tr("Tokens: %1, %2 tokens/s, first token after %3 s; %4")
                         .arg(QLocale().toString(generated_), rate(value.tokensPerSecond),
                              QLocale().toString(value.prefillSeconds, 'f', 2), end));
    setRunning(false);
    refreshContext();
}

void PromptPanel::stopAnswer() {
    status_->setText(tr("Stopped at token %1. The text above is a part of the answer.")
                         .arg(QLocale().toString(generated_)));
    setRunning(false);
}

void PromptPanel::failAnswer(const Failure& failure) {
    QString text = failureText(failure);
    if (generated_ > 0) {
        text += QLatin1Char(' ') + tr("It ended at token %1.").arg(QLocale().toString(generated_));
    }
    status_->setText(tr("⚠ %1").arg(text));
    setRunning(false);
}

QString PromptPanel::answer() const {
    return answer_->text();
}

void PromptPanel::focusPrompt() {
    editor_->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace earscope
