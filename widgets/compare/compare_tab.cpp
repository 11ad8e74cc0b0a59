#include "widgets/compare/compare_tab.h"

#include "widgets/compare/diff_column.h"
#include "widgets/compare/parameter_model.h"
#include "widgets/compare/run_list_model.h"
#include "widgets/compare/run_text.h"
#include "widgets/compare/states_view.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace earscope {
namespace {

QLabel* plainLabel(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QToolButton* textButton(const QString& name, const QString& text, const QString& help,
                        QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(help);
    return button;
}

}  // namespace

CompareTab::CompareTab(QWidget* parent)
    : QWidget(parent), parameters_(new ParameterModel(this)), pages_(new QStackedWidget(this)) {
    notice_ = plainLabel(QStringLiteral("compareNotice"), this);
    notice_->setAutoFillBackground(true);
    notice_->setMargin(4);
    notice_->setBackgroundRole(QPalette::ToolTipBase);
    notice_->setForegroundRole(QPalette::ToolTipText);
    notice_->hide();
    precondition_ = plainLabel(QStringLiteral("precondition"), this);
    pages_->addWidget(buildEmpty());
    pages_->addWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 4);
    layout->setSpacing(4);
    layout->addWidget(buildToolbar());
    layout->addWidget(notice_);
    layout->addWidget(precondition_);
    layout->addWidget(pages_, 1);
    connectScrolling();
    refresh();
}

QComboBox* CompareTab::buildChoice(bool isA) {
    auto* choice = new QComboBox(this);
    choice->setObjectName(isA ? QStringLiteral("chooseA") : QStringLiteral("chooseB"));
    choice->setAccessibleName(isA ? tr("Run A") : tr("Run B"));
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(4);
    choice->addItem(isA ? tr("A: choose a run") : tr("B: choose a run"), -1);
    connect(choice, &QComboBox::currentIndexChanged, this, &CompareTab::onChoice);
    return choice;
}

QWidget* CompareTab::buildToolbar() {
    auto* bar = new QWidget(this);
    a_.choice = buildChoice(true);
    b_.choice = buildChoice(false);
    swap_ = textButton(QStringLiteral("swapRuns"), QStringLiteral("⇄"), tr("Swaps A and B."), bar);
    swap_->setAccessibleName(tr("Swap A and B"));
    run_ = textButton(QStringLiteral("compareRun"), tr("Run"), {}, bar);
    run_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(run_);
    menu->setToolTipsVisible(true);
    run_both_ = menu->addAction(tr("Run &both profiles"), this, &CompareTab::runBothRequested);
    run_edited_ = menu->addAction(tr("Run with and without the &edits"), this,
                                  &CompareTab::withAndWithoutRequested);
    run_edited_->setObjectName(QStringLiteral("compareEdited"));
    run_changed_ =
        menu->addAction(tr("Run a &changed copy…"), this, &CompareTab::changedCopyRequested);
    run_other_ =
        menu->addAction(tr("Run under another &model…"), this, &CompareTab::otherModelRequested);
    menu->addSeparator();
    with_states_ = menu->addAction(tr("Also keep embeddings and hidden &states"));
    with_states_->setObjectName(QStringLiteral("compareStates"));
    with_states_->setCheckable(true);
    with_states_->setToolTip(
        tr("Needs one more pass over the prompt per run, and memory for the tensors."));
    run_->setMenu(menu);
    copy_ = textButton(QStringLiteral("copyComparison"), tr("Copy"),
                       tr("Copies the whole comparison as Markdown."), bar);
    export_ = textButton(QStringLiteral("exportComparison"), tr("Export…"),
                         tr("Writes the comparison with both runs as JSON or Markdown."), bar);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(a_.choice, 1);
    layout->addWidget(swap_);
    layout->addWidget(b_.choice, 1);
    layout->addWidget(run_);
    layout->addWidget(copy_);
    layout->addWidget(export_);
    connect(swap_, &QToolButton::clicked, this, [this] { setChosen(chosenB(), chosenA()); });
    connect(copy_, &QToolButton::clicked, this, &CompareTab::copyRequested);
    connect(export_, &QToolButton::clicked, this, &CompareTab::exportRequested);
    return bar;
}

QWidget* CompareTab::buildEmpty() {
    auto* page = new QWidget(this);
    empty_text_ = new QLabel(page);
    empty_text_->setObjectName(QStringLiteral("compareEmpty"));
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignCenter);
    empty_run_ = new QPushButton(tr("Run both profiles"), page);
    empty_run_->setObjectName(QStringLiteral("runBothEmpty"));
    connect(empty_run_, &QPushButton::clicked, this, &CompareTab::runBothRequested);
    auto* layout = new QVBoxLayout(page);
    layout->addStretch(1);
    layout->addWidget(empty_text_);
    layout->addWidget(empty_run_, 0, Qt::AlignCenter);
    layout->addStretch(1);
    return page;
}

QWidget* CompareTab::buildContent() {
    states_ = new StatesView(this);
    states_->setObjectName(QStringLiteral("statesView"));
    views_ = new QTabWidget(this);
    views_->setObjectName(QStringLiteral("compareViews"));
    views_->setDocumentMode(true);
    views_->addTab(buildTexts(), tr("Answers"));
    views_->addTab(buildParameters(), tr("Parameters"));
    views_->addTab(states_, tr("Heatmaps"));
    return views_;
}

void CompareTab::buildSide(QGridLayout& grid, Side& side, bool isA) {
    side.title = plainLabel(isA ? QStringLiteral("titleA") : QStringLiteral("titleB"), this);
    QFont bold = side.title->font();
    bold.setBold(true);
    side.title->setFont(bold);
    side.facts = plainLabel(isA ? QStringLiteral("factsA") : QStringLiteral("factsB"), this);
    side.facts->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    side.changes = plainLabel(isA ? QStringLiteral("changesA") : QStringLiteral("changesB"), this);
    side.changes->setMargin(4);
    side.changes->setAutoFillBackground(true);
    side.changes->setBackgroundRole(QPalette::ToolTipBase);
    side.changes->setForegroundRole(QPalette::ToolTipText);
    side.changes->hide();
    side.column = new DiffColumn(isA ? DiffColumn::Side::A : DiffColumn::Side::B, this);
    side.column->setObjectName(isA ? QStringLiteral("columnA") : QStringLiteral("columnB"));
    const int column = isA ? 0 : 1;
    grid.addWidget(side.title, 0, column);
    grid.addWidget(side.facts, 1, column);
    grid.addWidget(side.changes, 2, column);
    grid.addWidget(side.column, 3, column);
    grid.setColumnStretch(column, 1);
}

QWidget* CompareTab::buildTexts() {
    auto* page = new QWidget(this);
    auto* columns = new QGridLayout;
    columns->setVerticalSpacing(2);
    columns->setRowStretch(3, 1);
    buildSide(*columns, a_, true);
    buildSide(*columns, b_, false);
    divergence_ = plainLabel(QStringLiteral("divergence"), page);
    go_ = new QPushButton(tr("Show"), page);
    go_->setObjectName(QStringLiteral("showDivergence"));
    go_->setToolTip(tr("Scrolls both columns to the first difference."));
    lock_ = new QCheckBox(tr("Scroll together"), page);
    lock_->setObjectName(QStringLiteral("lockScrolling"));
    lock_->setChecked(true);
    auto* row = new QHBoxLayout;
    row->addWidget(divergence_, 1);
    row->addWidget(go_);
    row->addWidget(lock_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(columns, 1);
    layout->addLayout(row);
    connect(go_, &QPushButton::clicked, this, &CompareTab::showDivergence);
    return page;
}

QWidget* CompareTab::buildParameters() {
    auto* page = new QWidget(this);
    table_ = new QTableView(page);
    table_->setObjectName(QStringLiteral("parameterTable"));
    table_->setAccessibleName(tr("Parameters of both runs"));
    table_->setModel(parameters_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    const int digit = table_->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    header->resizeSection(ParameterModel::SignColumn, digit * 3);
    header->resizeSection(ParameterModel::NameColumn, digit * 18);
    header->setSectionResizeMode(ParameterModel::AColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(ParameterModel::BColumn, QHeaderView::Stretch);
    table_note_ = plainLabel(QStringLiteral("parameterNote"), page);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(table_note_);
    layout->addWidget(table_, 1);
    return page;
}

void CompareTab::setModel(RunListModel* model) {
    model_ = model;
    connect(model_, &QAbstractItemModel::rowsInserted, this, [this] {
        fillChoices();
        refresh();
    });
    fillChoices();
    refresh();
}

void CompareTab::fillChoices() {
    for (QComboBox* choice : {a_.choice, b_.choice}) {
        const QSignalBlocker blocker(choice);
        for (int row = choice->count() - 1; row < model_->rowCount(); ++row) {
            choice->addItem(model_->title(row), row);
            choice->setItemData(choice->count() - 1, runFacts(*model_->run(row)), Qt::ToolTipRole);
        }
    }
}

int CompareTab::chosenA() const {
    return a_.choice->currentData().toInt();
}
int CompareTab::chosenB() const {
    return b_.choice->currentData().toInt();
}

void CompareTab::setChosen(int a, int b) {
    if (a == chosenA() && b == chosenB()) {
        return;
    }
    {
        const QSignalBlocker blockA(a_.choice);
        const QSignalBlocker blockB(b_.choice);
        a_.choice->setCurrentIndex(a_.choice->findData(a));
        b_.choice->setCurrentIndex(b_.choice->findData(b));
    }
    onChoice();
}

void CompareTab::onChoice() {
    if (model_ != nullptr) {
        model_->setMarks(chosenA(), chosenB());
    }
    refresh();
    Q_EMIT chosenChanged(chosenA(), chosenB());
}

void CompareTab::setRuns(const RunPointer& a, const RunPointer& b,
                         const std::optional<Comparison>& comparison) {
    run_a_ = a;
    run_b_ = b;
    comparison_ = comparison;
    following_ = true;  // both columns are filled before one may move the other
    showSide(a_, a, true);
    showSide(b_, b, false);
    following_ = false;
    parameters_->setParameters(comparison ? comparison->parameters
                                          : std::vector<ComparedParameter>());
    table_note_->setText(comparison ? tr("Rows that differ are bold and marked ≠: %1 of %2.")
                                          .arg(QLocale().toString(parameters_->differing()),
                                               QLocale().toString(parameters_->rowCount()))
                                    : QString());
    showPrecondition();
    refresh();
}

void CompareTab::showSide(const Side& side, const RunPointer& run, bool isA) {
    side.column->setRun(run, comparison_);
    const QString letter = isA ? tr("A") : tr("B");
    side.title->setText(run ? tr("%1  %2").arg(letter, side.choice->currentText()) : letter);
    side.changes->setText(run ? changesInFull(*run) : QString());
    side.changes->setVisible(!side.changes->text().isEmpty());
    if (!run) {
        side.facts->clear();
        return;
    }
    const QLocale locale;
    QStringList audio;
    for (const RunSource& source : run->sources) {
        audio << locale.toString(static_cast<qlonglong>(source.tokens));
    }
    QString facts =
        tr("%1, %2 tokens/s, %3; prompt %4")
            .arg(tokenCountText(*run), speedText(run->tokens_per_second), finishText(*run),
                 locale.toString(static_cast<qlonglong>(run->prompt_width)));
    if (!audio.isEmpty()) {
        facts += tr(", audio %1").arg(audio.join(QStringLiteral(" + ")));
    }
    side.facts->setText(facts);
    side.facts->setToolTip(runFacts(*run));
}

void CompareTab::showPrecondition() {
    if (!comparison_) {
        precondition_->clear();
        return;
    }
    const auto part = [](bool same, const QString& yes, const QString& no) {
        return same ? QStringLiteral("✓ ") + yes : QStringLiteral("≠ ") + no;
    };
    QStringList parts{
        part(comparison_->same_input_ids, tr("same input ids"), tr("other input ids")),
        run_a_->sources.empty() && run_b_->sources.empty()
            ? tr("no audio")
            : part(comparison_->same_audio, tr("same audio"), tr("other audio")),
        comparison_->weights_compared
            ? part(comparison_->same_weights, tr("same weights"), tr("other weights"))
            : tr("? weights not compared (other files of the same layout)")};
    if (comparison_->edited) {
        parts << part(comparison_->same_edits, tr("same edits"), tr("other edits"));
    }
    precondition_->setText(parts.join(QStringLiteral("   ")));
    const auto tokenText = [](const RunPointer& run, std::int64_t token) {
        const auto index = static_cast<std::size_t>(token);
        return index < run->tokens.size()
                   ? tr("“%1”").arg(QString::fromStdString(run->tokens[index].piece))
                   : tr("the end");
    };
    if (comparison_->first_divergence) {
        const std::int64_t token = *comparison_->first_divergence;
        divergence_->setText(tr("▶ First difference at generated token %1: A has %2, B has %3.")
                                 .arg(QLocale().toString(static_cast<qlonglong>(token)),
                                      tokenText(run_a_, token), tokenText(run_b_, token)));
    } else {
        divergence_->setText(tr("✓ Both answers are the same, token by token."));
    }
    go_->setVisible(comparison_->first_divergence.has_value());
}

void CompareTab::showDivergence() {
    following_ = true;
    a_.column->showDivergence();
    b_.column->showDivergence();
    following_ = false;
}

void CompareTab::connectScrolling() {
    const auto link = [this](DiffColumn& moved, DiffColumn& other, bool isA) {
        connect(moved.verticalScrollBar(), &QScrollBar::valueChanged, this,
                [this, &moved, &other, isA] { follow(moved, other, isA); });
    };
    link(*a_.column, *b_.column, true);
    link(*b_.column, *a_.column, false);
}

int CompareTab::partnerOf(int token, bool ofA) const {
    if (!comparison_) {
        return token;
    }
    // The other run's next token from this step on.
    std::int64_t partner = 0;
    for (const DiffStep& step : comparison_->diff) {
        const std::int64_t mine = ofA ? step.a : step.b;
        const std::int64_t theirs = ofA ? step.b : step.a;
        partner = theirs >= 0 ? theirs : partner;
        if (mine >= token) {
            break;
        }
    }
    return static_cast<int>(partner);
}

void CompareTab::follow(const DiffColumn& moved, DiffColumn& other, bool movedIsA) {
    if (following_ || !lock_->isChecked() || !run_a_ || !run_b_) {
        return;
    }
    following_ = true;
    const QScrollBar* bar = moved.verticalScrollBar();
    QScrollBar* otherBar = other.verticalScrollBar();
    if (bar->value() == bar->minimum()) {
        otherBar->setValue(otherBar->minimum());
    } else if (bar->value() == bar->maximum()) {
        otherBar->setValue(otherBar->maximum());
    } else {
        other.scrollToToken(partnerOf(moved.topToken(), movedIsA));
    }
    following_ = false;
}

void CompareTab::setRunReason(const QString& reason) {
    run_reason_ = reason;
    refreshRun();
}

void CompareTab::setEdits(const QStringList& edits) {
    edits_ = edits;
    refreshRun();
    refresh();
}

void CompareTab::refreshRun() {
    const bool may = run_reason_.isEmpty();
    const QString under =
        edits_.isEmpty() ? QString()
                         : QLatin1Char('\n') +
                               tr("In force in both: %1.").arg(edits_.join(QStringLiteral(", ")));
    for (QAction* action : {run_both_, run_changed_, run_other_}) {
        action->setEnabled(may);
        action->setToolTip(may ? under.trimmed() : run_reason_);
    }
    run_edited_->setEnabled(may && !edits_.isEmpty());
    run_edited_->setToolTip(
        !may               ? run_reason_
        : edits_.isEmpty() ? tr("No edit is in force; Look inside > Probes "
                                "sets them.")
                           : tr("A without, B under: %1.").arg(edits_.join(QStringLiteral(", "))));
    empty_run_->setEnabled(may);
    empty_run_->setToolTip(may ? tr("Runs the request greedily and sampled (Ctrl+Shift+Enter).") +
                                     under
                               : run_reason_);
    run_->setToolTip(may ? tr("Runs the request anew, to compare.") : run_reason_);
}

void CompareTab::setNotice(const QString& text) {
    notice_->setText(text);
    notice_->setVisible(!text.isEmpty());
}

bool CompareTab::statesWanted() const {
    return with_states_->isChecked();
}

void CompareTab::refresh() {
    const bool both = chosenA() >= 0 && chosenB() >= 0;
    pages_->setCurrentIndex(both ? 1 : 0);
    precondition_->setVisible(both);
    swap_->setEnabled(chosenA() >= 0 || chosenB() >= 0);
    copy_->setEnabled(both && comparison_.has_value());
    export_->setEnabled(both && comparison_.has_value());
    const int runs = model_ != nullptr ? model_->rowCount() : 0;
    QString text =
        runs == 0 ? tr("Puts two runs side by side. There is no run yet.") : tr("Choose two runs.");
    if (!edits_.isEmpty()) {
        text += QLatin1Char('\n') +
                tr("New runs will be edited: %1.").arg(edits_.join(QStringLiteral(", ")));
    }
    empty_text_->setText(text);
}

}  // namespace earscope
