#include "widgets/look/alternatives_page.h"

#include "widgets/look/heatmap.h"
#include "widgets/look/twin_view.h"
#include "widgets/look/word_list.h"
#include "widgets/plot/color_map.h"
#include "widgets/plot/theme.h"
#include "widgets/tokens/token_table_model.h"

#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

QString percent(float logProbability) {
    return QStringLiteral("%1 %").arg(
        QLocale().toString(100 * std::exp(static_cast<double>(logProbability)), 'f', 2));
}

}  // namespace

AlternativesPage::AlternativesPage(QWidget* parent)
    : LookPage(tr("Generate with alternatives"),
               tr("Shows how sure the model was of each word, what else it could have said, and "
                  "goes on from there."),
               parent) {
    top_k_ = new QSpinBox(this);
    top_k_->setObjectName(QStringLiteral("alternativesTopK"));
    top_k_->setRange(1, 50);
    top_k_->setValue(8);
    addSetting(tr("&Alternatives per word:"), top_k_);
    setContent(buildContent());
    setEstimate(tr("Generates an answer as the Prompt panel is set."));
}

QWidget* AlternativesPage::buildContent() {
    auto* content = new QSplitter(Qt::Horizontal, this);
    content->setChildrenCollapsible(false);
    words_ = new WordList(content);
    words_->setObjectName(QStringLiteral("alternativesWords"));
    words_->setSelectionMode(QAbstractItemView::SingleSelection);
    QTableWidget* all =
        makeTable(content, QStringLiteral("alternativesTokens"),
                  {tr("token"), tr("text"), tr("log-prob."), tr("entropy (nats)"), tr("id")});
    all->setAccessibleName(tr("Tokens of the answer as a table"));
    twin_ = new TwinView(words_, all, content);
    auto* side = new QWidget(content);
    answer_ = new QLabel(side);
    answer_->setObjectName(QStringLiteral("alternativesAnswer"));
    answer_->setWordWrap(true);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    top_ = makeTable(side, QStringLiteral("alternativesTop"),
                     {tr("instead"), tr("probability"), tr("log-prob."), tr("id")});
    top_->setAccessibleName(tr("Most probable tokens at this place"));
    continue_ = new QPushButton(tr("Continue from here with this token"), side);
    continue_->setObjectName(QStringLiteral("alternativesContinue"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(answer_);
    column->addWidget(top_, 1);
    column->addWidget(continue_);
    content->addWidget(twin_);
    content->addWidget(side);
    content->setStretchFactor(0, 3);
    content->setStretchFactor(1, 2);
    connect(words_, &WordList::chosenChanged, this, &AlternativesPage::showChosen);
    connect(all, &QTableWidget::itemSelectionChanged, this,
            [this, all] { words_->choose(all->currentRow()); });
    connect(top_, &QTableWidget::itemSelectionChanged, this, &AlternativesPage::refreshContinue);
    connect(continue_, &QPushButton::clicked, this, [this] {
        if (chosenAlternative() != nullptr) {
            Q_EMIT continueRequested(chosenToken(), chosenAlternative()->id);
        }
    });
    return content;
}

int AlternativesPage::topK() const {
    return top_k_->value();
}

int AlternativesPage::chosenToken() const {
    const std::vector<int> chosen = words_->chosen();
    return alternatives_ && !chosen.empty() ? chosen.front() : -1;
}

const LensChoice* AlternativesPage::chosenAlternative() const {
    const int token = chosenToken();
    if (token < 0 || top_->currentRow() < 0) {
        return nullptr;
    }
    const auto& top = alternatives_->tokens[static_cast<std::size_t>(token)].top;
    const auto row = static_cast<std::size_t>(top_->currentRow());
    return row < top.size() ? &top[row] : nullptr;
}

void AlternativesPage::setAlternatives(AlternativesPointer alternatives) {
    alternatives_ = std::move(alternatives);
    if (!alternatives_) {
        clearResult();
        return;
    }
    std::vector<TokenValue> tokens;
    std::vector<QColor> colors;
    QStringList details;
    std::vector<QStringList> rows;
    const QLocale locale;
    const QColor base = palette().color(QPalette::Base);
    const QColor unsure = noticeColor(palette());
    for (std::size_t i = 0; i < alternatives_->tokens.size(); ++i) {
        const AlternativeToken& token = alternatives_->tokens[i];
        tokens.push_back(token.token);
        // The less probable the token, the stronger its shade; the tooltip has the number.
        const double sure = std::exp(static_cast<double>(token.logProbability));
        colors.push_back(blended(unsure, base, 0.75 * (1 - sure)));
        details << tr("probability %1, entropy %2 nats")
                       .arg(percent(token.logProbability),
                            locale.toString(static_cast<double>(token.entropy), 'f', 2));
        rows.push_back({QString::number(i), readablePiece(token.token.piece),
                        locale.toString(static_cast<double>(token.logProbability), 'f', 3),
                        locale.toString(static_cast<double>(token.entropy), 'f', 3),
                        locale.toString(token.token.id)});
    }
    showResult(alternatives_->edits);
    {
        const QSignalBlocker blocker(twin_->table());
        fillTable(*twin_->table(), rows);
    }
    words_->setTokens(tokens);
    words_->setShades(colors, details);
    words_->setMarked(alternatives_->continueToken);
    if (alternatives_->continueToken >= 0) {
        words_->choose(alternatives_->continueToken);
    }
    showChosen();
}

void AlternativesPage::showChosen() {
    const int index = chosenToken();
    if (index < 0) {
        answer_->clear();
        fillTable(*top_, {});
        refreshContinue();
        return;
    }
    const AlternativeToken& token = alternatives_->tokens[static_cast<std::size_t>(index)];
    const QLocale locale;
    QString text =
        tr("%1: probability %2, log-probability %3, entropy %4 nats.")
            .arg(wordText(token.token, index, words_->wordOf(index)), percent(token.logProbability),
                 locale.toString(static_cast<double>(token.logProbability), 'f', 3),
                 locale.toString(static_cast<double>(token.entropy), 'f', 3));
    if (index == alternatives_->continueToken) {
        text += QLatin1Char(' ') + tr("This token was put here; the answer goes on from it.");
    }
    answer_->setText(text);
    std::vector<QStringList> rows;
    for (const LensChoice& choice : token.top) {
        rows.push_back(
            {QStringLiteral("“%1”%2").arg(readablePiece(choice.piece),
                                          choice.id == token.token.id ? tr(" (taken)") : QString()),
             percent(choice.logProbability),
             locale.toString(static_cast<double>(choice.logProbability), 'f', 3),
             locale.toString(choice.id)});
    }
    {
        const QSignalBlocker blocker(top_);
        fillTable(*top_, rows);
        top_->setCurrentCell(-1, -1);
    }
    refreshContinue();
}

void AlternativesPage::setContinueReason(const QString& reason) {
    continue_reason_ = reason;
    refreshContinue();
}

void AlternativesPage::refreshContinue() {
    const LensChoice* other = chosenAlternative();
    QString reason = continue_reason_;
    if (reason.isEmpty() && other == nullptr) {
        reason = tr("Choose another token in the table above.");
    } else if (reason.isEmpty() &&
               other->id ==
                   alternatives_->tokens[static_cast<std::size_t>(chosenToken())].token.id) {
        reason = tr("This token was taken already.");
    }
    continue_->setEnabled(reason.isEmpty());
    continue_->setToolTip(reason.isEmpty()
                              ? tr("The tokens before stay; the answer goes on from this one.")
                              : reason);
}

QString AlternativesPage::answerText() const {
    return answer_->text();
}

}  // namespace earscope
