#include "widgets/compare/answers_tab.h"

#include "widgets/compare/run_list_model.h"
#include "widgets/compare/run_text.h"
#include "widgets/prompt/answer_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace earscope {

AnswersTab::AnswersTab(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget(this)) {
    auto* empty = new QLabel(
        tr("No answer yet. Every finished run is kept here until the program ends, so that any two "
           "can be put side by side."),
        this);
    empty->setObjectName(QStringLiteral("answersEmpty"));
    empty->setWordWrap(true);
    empty->setAlignment(Qt::AlignCenter);
    empty->setMargin(12);
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setChildrenCollapsible(false);
    split->addWidget(buildTable());
    split->addWidget(buildDetail());
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    pages_->addWidget(empty);
    pages_->addWidget(split);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
}

QWidget* AnswersTab::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("runTable"));
    table_->setAccessibleName(tr("Finished runs"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setMinimumHeight(table_->fontMetrics().height() * 4);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->installEventFilter(this);
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT chosenAsA(index.row()); });
    return table_;
}

QWidget* AnswersTab::buildDetail() {
    auto* area = new QWidget(this);
    use_a_ = new QPushButton(tr("Use as A"), area);
    use_a_->setObjectName(QStringLiteral("useAsA"));
    use_a_->setToolTip(tr("Puts the selected run into the left column (A)."));
    use_b_ = new QPushButton(tr("Use as B"), area);
    use_b_->setObjectName(QStringLiteral("useAsB"));
    use_b_->setToolTip(tr("Puts the selected run into the right column (B)."));
    compare_ = new QPushButton(tr("Compare A and B"), area);
    compare_->setObjectName(QStringLiteral("compareMarked"));
    copy_ = new QPushButton(tr("Copy text"), area);
    copy_->setObjectName(QStringLiteral("copyRunText"));
    copy_->setToolTip(tr("Copies the whole answer (Ctrl+C in the list)."));
    facts_ = new QLabel(area);
    facts_->setObjectName(QStringLiteral("runFacts"));
    facts_->setTextFormat(Qt::PlainText);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    facts_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    facts_->setWordWrap(true);
    changes_ = new QLabel(area);
    changes_->setObjectName(QStringLiteral("runChanges"));
    changes_->setTextFormat(Qt::PlainText);
    changes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    changes_->setWordWrap(true);
    changes_->setMargin(4);
    changes_->setAutoFillBackground(true);
    changes_->setBackgroundRole(QPalette::ToolTipBase);
    changes_->setForegroundRole(QPalette::ToolTipText);
    changes_->hide();
    text_ = new AnswerView(area);
    text_->setObjectName(QStringLiteral("runText"));
    text_->setAccessibleName(tr("Answer of the selected run"));
    text_->setMinimumHeight(text_->fontMetrics().lineSpacing() * 2 + 10);
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {use_a_, use_b_, compare_, copy_}) {
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    auto* columns = new QHBoxLayout;
    columns->addWidget(text_, 3);
    auto* scroll = new QScrollArea(area);  // on a small screen there is more than fits
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(facts_);
    columns->addWidget(scroll, 2);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(6, 4, 6, 6);
    layout->setSpacing(4);
    layout->addLayout(buttons);
    layout->addWidget(changes_);
    layout->addLayout(columns, 1);
    connect(use_a_, &QPushButton::clicked, this, [this] { Q_EMIT chosenAsA(currentRow()); });
    connect(use_b_, &QPushButton::clicked, this, [this] { Q_EMIT chosenAsB(currentRow()); });
    connect(compare_, &QPushButton::clicked, this, &AnswersTab::compareRequested);
    connect(copy_, &QPushButton::clicked, this, &AnswersTab::copyText);
    return area;
}

void AnswersTab::setModel(RunListModel* model) {
    model_ = model;
    table_->setModel(model);
    const int digit = table_->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    QHeaderView* header = table_->horizontalHeader();
    header->resizeSection(RunListModel::NumberColumn, digit * 6);
    header->resizeSection(RunListModel::MarkColumn, digit * 5);
    header->resizeSection(RunListModel::TimeColumn, digit * 10);
    header->resizeSection(RunListModel::RequestColumn, digit * 18);
    header->resizeSection(RunListModel::ModelColumn, digit * 18);
    header->resizeSection(RunListModel::ProfileColumn, digit * 18);
    header->resizeSection(RunListModel::ChangesColumn, digit * 12);
    header->resizeSection(RunListModel::TextColumn, digit * 36);
    header->resizeSection(RunListModel::TokensColumn, digit * 8);
    header->resizeSection(RunListModel::SpeedColumn, digit * 10);
    header->resizeSection(RunListModel::FinishColumn, digit * 10);
    header->resizeSection(RunListModel::SourcesColumn, digit * 14);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &AnswersTab::showCurrent);
    connect(model_, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int, int last) {
                refresh();
                selectRow(last);
            });
    connect(model_, &QAbstractItemModel::dataChanged, this, &AnswersTab::refresh);
    refresh();
}

int AnswersTab::currentRow() const {
    return table_->selectionModel() != nullptr ? table_->currentIndex().row() : -1;
}

void AnswersTab::selectRow(int row) {
    table_->selectionModel()->setCurrentIndex(
        model_->index(row, RunListModel::NumberColumn),
        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    table_->scrollTo(model_->index(row, RunListModel::NumberColumn));
}

void AnswersTab::showCurrent() {
    text_->clearText();
    const int row = currentRow();
    if (row >= 0) {
        const RunRecord& run = *model_->run(row);
        text_->appendPiece(QString::fromStdString(run.text));
        text_->moveCursor(QTextCursor::Start);
        facts_->setText(runConditions(run));
        changes_->setText(changesInFull(run));
        changes_->setVisible(!changes_->text().isEmpty());
    } else {
        facts_->clear();
        changes_->hide();
    }
    refresh();
}

void AnswersTab::refresh() {
    pages_->setCurrentIndex(model_ != nullptr && model_->rowCount() > 0 ? 1 : 0);
    const bool any = currentRow() >= 0;
    for (QPushButton* button : {use_a_, use_b_, copy_}) {
        button->setEnabled(any);
    }
    const bool both = model_ != nullptr && model_->markA() >= 0 && model_->markB() >= 0;
    compare_->setEnabled(both);
    compare_->setToolTip(both ? tr("Shows A and B side by side.")
                              : tr("Mark a run as A and another one as B first."));
}

void AnswersTab::copyText() const {
    if (currentRow() >= 0) {
        QApplication::clipboard()->setText(QString::fromStdString(model_->run(currentRow())->text));
    }
}

bool AnswersTab::eventFilter(QObject* watched, QEvent* event) {
    if (watched != table_ || event->type() != QEvent::KeyPress || currentRow() < 0) {
        return QWidget::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        copyText();
        return true;
    }
    // Before the table's own search by the first letter.
    if (key->modifiers() == Qt::NoModifier && key->key() == Qt::Key_A) {
        Q_EMIT chosenAsA(currentRow());
        return true;
    }
    if (key->modifiers() == Qt::NoModifier && key->key() == Qt::Key_B) {
        Q_EMIT chosenAsB(currentRow());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace earscope
