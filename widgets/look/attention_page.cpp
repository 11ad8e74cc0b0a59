#include "widgets/look/attention_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/number_list.h"
#include "widgets/look/twin_view.h"
#include "widgets/look/word_list.h"
#include "widgets/look/wrap_layout.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/tokens/token_colors.h"
#include "widgets/tokens/token_table_model.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

constexpr int kListed = 20;
constexpr int kKeyRole = Qt::UserRole;
/// As the core has it.
constexpr int kMostRows = 256;
/// Positions that the span has before one is chosen, and tokens on each side of the cursor.
constexpr int kFirstSpan = 48;
constexpr int kAround = 24;

enum RowsOf { Answer, Prompt };

QString percent(double share) {
    return QStringLiteral("%1 %").arg(QLocale().toString(100 * share, 'f', share < 0.1 ? 2 : 1));
}

}  // namespace

AttentionPage::AttentionPage(QWidget* parent)
    : LookPage(tr("Generate and look"),
               tr("Shows which seconds of the sound each word of the answer looked at."), parent) {
    layers_ = new QLineEdit(this);
    layers_->setObjectName(QStringLiteral("attentionLayers"));
    layers_->setMaximumWidth(110);
    layers_->setToolTip(tr("Blocks of the language model: 12, 0-3, -1 or all."));
    heads_ = new QLineEdit(tr("all"), this);
    heads_->setObjectName(QStringLiteral("attentionHeads"));
    heads_->setMaximumWidth(80);
    heads_->setToolTip(tr("Query heads: all, 0 or 0, 3."));
    addSetting(tr("&Layers:"), layers_);
    addSetting(tr("&Heads:"), heads_);
    rows_ = new QComboBox(this);
    rows_->setObjectName(QStringLiteral("attentionRows"));
    rows_->addItem(tr("the answer"), Answer);
    rows_->addItem(tr("a span of the prompt"), Prompt);
    rows_->setToolTip(
        tr("Whose looks are shown: of each token of the answer, or of each position "
           "of a short span of the prompt."));
    addSetting(tr("&Rows:"), rows_);
    addTool(buildSpan());
    setContent(buildContent());
    connect(rows_, &QComboBox::currentIndexChanged, this, &AttentionPage::refreshProblem);
    connect(layers_, &QLineEdit::textChanged, this, &AttentionPage::refreshProblem);
    connect(heads_, &QLineEdit::textChanged, this, &AttentionPage::refreshProblem);
}

QWidget* AttentionPage::buildSpan() {
    span_ = new QWidget(this);
    first_ = new QSpinBox(span_);
    first_->setObjectName(QStringLiteral("attentionFirst"));
    first_->setAccessibleName(tr("First position"));
    last_ = new QSpinBox(span_);
    last_->setObjectName(QStringLiteral("attentionLast"));
    last_->setAccessibleName(tr("Last position"));
    auto* to = new QLabel(tr("to"), span_);
    auto* cursor = new QPushButton(tr("At the &cursor"), span_);
    cursor->setObjectName(QStringLiteral("attentionAtCursor"));
    cursor->setToolTip(tr("Takes the selected tokens, or those around the cursor."));
    auto* row = new QHBoxLayout(span_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (QWidget* part : std::initializer_list<QWidget*>{first_, to, last_, cursor}) {
        row->addWidget(part);
    }
    for (QSpinBox* box : {first_, last_}) {
        box->setToolTip(tr("Positions of the prompt as the Tokens tab counts them, at most %1.")
                            .arg(kMostRows));
        connect(box, &QSpinBox::valueChanged, this, &AttentionPage::refreshProblem);
    }
    connect(cursor, &QPushButton::clicked, this, &AttentionPage::takeCursor);
    return span_;
}

QWidget* AttentionPage::buildContent() {
    split_ = new QSplitter(Qt::Vertical, this);
    QSplitter* content = split_;
    content->setChildrenCollapsible(false);
    words_ = new WordList(content);
    words_->setObjectName(QStringLiteral("attentionWords"));
    words_->setToolTip(tr("Choose a word; several with Shift or Ctrl show their mean."));
    auto* below = new QWidget(content);
    auto* bar = new QWidget(below);
    auto* row = new WrapLayout(bar);
    layer_ = new QComboBox(bar);
    layer_->setObjectName(QStringLiteral("attentionLayer"));
    layer_->setAccessibleName(tr("Layer shown"));
    head_ = new QComboBox(bar);
    head_->setObjectName(QStringLiteral("attentionHead"));
    head_->setAccessibleName(tr("Head shown"));
    answer_ = new QLabel(below);
    answer_->setObjectName(QStringLiteral("attentionAnswer"));
    answer_->setWordWrap(true);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    shares_ = new QLabel(below);
    shares_->setObjectName(QStringLiteral("attentionShares"));
    shares_->setWordWrap(true);
    shares_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(layer_);
    row->addWidget(head_);
    views_ = new QTabWidget(below);
    views_->setObjectName(QStringLiteral("attentionViews"));
    views_->setDocumentMode(true);
    seconds_ = makeTable(views_, QStringLiteral("attentionSeconds"),
                         {tr("weight"), tr("position"), tr("looked at")});
    seconds_->setAccessibleName(tr("Positions with the largest weights"));
    panel_ = new HeatmapPanel(views_);
    views_->addTab(seconds_, tr("Looked most at"));
    views_->addTab(panel_, tr("Token × token"));
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    for (QWidget* part : std::initializer_list<QWidget*>{bar, answer_, shares_}) {
        column->addWidget(part);
    }
    column->addWidget(views_, 1);
    content->addWidget(words_);
    content->addWidget(below);
    content->setStretchFactor(1, 1);
    connectParts();
    return content;
}

void AttentionPage::connectParts() {
    connect(words_, &WordList::chosenChanged, this, &AttentionPage::showChosen);
    for (QComboBox* box : {layer_, head_}) {
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            showChosen();
            showMap();
        });
    }
    connect(views_, &QTabWidget::currentChanged, this, &AttentionPage::showMap);
    connect(seconds_, &QTableWidget::itemSelectionChanged, this, [this] {
        const QTableWidgetItem* item = seconds_->item(seconds_->currentRow(), 0);
        if (item != nullptr && cursor_ && attention_) {
            const TokenValue& token =
                attention_->tokens[static_cast<std::size_t>(item->data(kKeyRole).toInt())];
            if (token.tokenClass == TokenClass::Audio) {
                cursor_->lockToken(token.source, token.slotRow);
            }
        }
    });
    connect(panel_, &HeatmapPanel::currentChanged, this, [this](qint64 token) {
        if (words_->chosen() != std::vector<int>{static_cast<int>(token)}) {
            words_->choose(static_cast<int>(token));
        }
    });
}

void AttentionPage::setCursorModel(CursorModel* cursor) {
    cursor_ = cursor;
    panel_->setCursorModel(cursor);
}

void AttentionPage::setModel(int blocks) {
    blocks_ = blocks;
    // Words find their sounds in the middle rather than at the ends.
    layers_->setText(QString::number(blocks / 2));
    refreshProblem();
}

std::vector<int> AttentionPage::layers() const {
    return readNumbers(layers_->text(), blocks_, tr("layer")).numbers;
}

std::vector<int> AttentionPage::heads() const {
    const QString text = heads_->text().trimmed();
    if (text.isEmpty() || text == tr("all") || text == QLatin1String("all")) {
        return {};
    }
    // How many there are the core knows and says.
    return readNumbers(text, 1024, tr("head")).numbers;
}

void AttentionPage::refreshProblem() {
    QString problem =
        blocks_ > 0 ? readNumbers(layers_->text(), blocks_, tr("layer")).problem : QString();
    if (problem.isEmpty() && !heads_->text().trimmed().isEmpty()) {
        problem = readNumbers(heads_->text(), 1024, tr("head")).problem;
    }
    const bool prompt = rows_->currentData().toInt() == Prompt;
    const int count = last_->value() - first_->value() + 1;
    if (problem.isEmpty() && prompt && count < 1) {
        problem = tr("The last position stands before the first.");
    } else if (problem.isEmpty() && prompt && count > kMostRows) {
        problem = tr("At most %1 positions can be shown at once, these are %2.")
                      .arg(QLocale().toString(kMostRows), QLocale().toString(count));
    }
    span_->setVisible(prompt);
    setRunText(prompt ? tr("Look") : tr("Generate and look"));
    setSettingsProblem(problem);
    setEstimate(
        prompt ? tr("Reads the prompt once and generates nothing. Rows: %1.")
                     .arg(QLocale().toString(count))
               : tr("Generates an answer as the Prompt panel is set, then reads it once more."));
}

void AttentionPage::setTokens(const TokenList& tokens) {
    const bool first_time = !prompt_.tokens || prompt_.tokens->size() < 2;
    prompt_.tokens = tokens;
    prompt_.indexTokens();
    const int last = tokens && !tokens->empty() ? static_cast<int>(tokens->size()) - 1 : 0;
    {
        const QSignalBlocker block_first(first_);
        const QSignalBlocker block_last(last_);
        first_->setMaximum(last);
        last_->setMaximum(last);
        if (first_time) {
            first_->setValue(std::max(0, last + 1 - kFirstSpan));
            last_->setValue(last);
        }
    }
    refreshProblem();
}

std::pair<int, int> AttentionPage::span() const {
    return rows_->currentData().toInt() == Prompt ? std::pair{first_->value(), last_->value() + 1}
                                                  : std::pair{-1, -1};
}

void AttentionPage::takeCursor() {
    if (!cursor_ || !prompt_.tokens) {
        return;
    }
    const CursorRange range = cursor_->range();
    const bool selected = !range.isEmpty() && range.firstToken >= 0;
    const int source = selected ? range.source : cursor_->point().source;
    if (source < 0) {
        return;
    }
    const int end = cursor_->tokenCount(source) - 1;
    const int around = cursor_->token();
    const int first = selected ? range.firstToken : std::max(0, around - kAround);
    const int last = selected ? range.lastToken : std::min(end, around + kAround);
    const int from = prompt_.indexOfSlot(source, first);
    const int to = prompt_.indexOfSlot(source, last);
    if (from >= 0 && to >= from) {
        first_->setValue(from);
        last_->setValue(std::min(to, from + kMostRows - 1));
    }
}

void AttentionPage::setAttention(AttentionPointer attention) {
    attention_ = std::move(attention);
    if (!attention_) {
        weights_.clear();
        row_tokens_.clear();
        map_of_.reset();
        clearResult();
        Q_EMIT lanesChanged();
        return;
    }
    fillChoices();
    showResult(attention_->edits);
    row_tokens_ = attentionRows(*attention_);
    words_->setAccessibleName(attention_->firstRow < 0 ? tr("Tokens of the answer")
                                                       : tr("Positions of the span"));
    words_->setTokens(row_tokens_);
    if (const int wanted = words_->sizeHint().height(); wanted != words_height_) {
        words_height_ = wanted;
        split_->setSizes({wanted, std::max(1, split_->height() - wanted)});
    }
    showMap();
}

void AttentionPage::fillChoices() {
    const QSignalBlocker block_layer(layer_);
    const QSignalBlocker block_head(head_);
    layer_->clear();
    head_->clear();
    if (attention_->layers.size() > 1) {
        layer_->addItem(
            tr("mean of %n layers", nullptr, static_cast<int>(attention_->layers.size())), -1);
    }
    for (std::size_t i = 0; i < attention_->layers.size(); ++i) {
        layer_->addItem(tr("layer %1").arg(attention_->layers[i]), static_cast<int>(i));
    }
    const std::size_t heads = attention_->weights.empty() ? 0 : attention_->weights.front().size();
    if (heads > 1) {
        head_->addItem(tr("mean of %n heads", nullptr, static_cast<int>(heads)), -1);
    }
    for (std::size_t i = 0; i < heads; ++i) {
        const int number =
            i < attention_->heads.size() ? attention_->heads[i] : static_cast<int>(i);
        head_->addItem(tr("head %1").arg(number), static_cast<int>(i));
    }
}

AttentionChoice AttentionPage::choice() const {
    AttentionChoice choice;
    if (layer_->currentData().toInt() >= 0) {
        choice.layers = {layer_->currentData().toInt()};
    }
    if (head_->currentData().toInt() >= 0) {
        choice.heads = {head_->currentData().toInt()};
    }
    choice.tokens = words_->chosen();
    return choice;
}

QString AttentionPage::chosenText() const {
    const std::vector<int> chosen = words_->chosen();
    if (chosen.size() == 1) {
        const int index = chosen.front();
        return wordText(row_tokens_[static_cast<std::size_t>(index)], index, words_->wordOf(index));
    }
    return tr("%n chosen tokens (mean)", nullptr, static_cast<int>(chosen.size()));
}

void AttentionPage::showChosen() {
    if (!attention_ || attention_->weights.empty() || words_->chosen().empty()) {
        weights_.clear();
        answer_->setText(tr("Choose a word."));
        shares_->clear();
        fillTable(*seconds_, {});
        Q_EMIT lanesChanged();
        return;
    }
    weights_ = meanWeights(*attention_, choice());
    showAnswer();
    followWord();
    fillSeconds();
    Q_EMIT lanesChanged();
}

void AttentionPage::showAnswer() {
    // The last position of an answer is no key of any row.
    std::vector<double> audio(weights_.size(), 0);
    for (std::size_t key = 0; key < weights_.size(); ++key) {
        if (attention_->tokens[key].tokenClass == TokenClass::Audio) {
            audio[key] = weights_[key];
        }
    }
    const std::vector<int> best = heaviestKeys(audio, 1);
    const bool any = !best.empty() && audio[static_cast<std::size_t>(best.front())] > 0;
    if (any) {
        const auto key = static_cast<std::size_t>(best.front());
        const TokenValue& token = attention_->tokens[key];
        answer_->setText(tr("%1 looked most at %2 of source %3 (%4 of its attention).")
                             .arg(chosenText(), tokenSpanText(token),
                                  QLocale().toString(token.source + 1), percent(weights_[key])));
    } else {
        answer_->setText(tr("%1: there is no sound to look at.").arg(chosenText()));
    }
    const AttentionShares shares = attentionShares(*attention_, weights_);
    QStringList parts;
    for (std::size_t i = 0; i < shares.perSource.size(); ++i) {
        parts << tr("source %1: %2").arg(QString::number(i + 1), percent(shares.perSource[i]));
    }
    parts << tr("text of the prompt: %1").arg(percent(shares.text));
    if (attention_->firstRow < 0) {
        parts << tr("answer so far: %1").arg(percent(shares.answer));
    }
    shares_->setText(parts.join(QStringLiteral(" · ")));
}

void AttentionPage::fillSeconds() {
    const QSignalBlocker blocker(seconds_);
    std::vector<QStringList> rows;
    const std::vector<int> keys = heaviestKeys(weights_, kListed);
    for (const int key : keys) {
        const TokenValue& token = attention_->tokens[static_cast<std::size_t>(key)];
        const QString what =
            token.tokenClass == TokenClass::Audio
                ? tr("source %1, %2").arg(QString::number(token.source + 1), tokenSpanText(token))
                : tr("%1 “%2”").arg(tokenClassName(token.tokenClass), readablePiece(token.piece));
        rows.push_back({percent(weights_[static_cast<std::size_t>(key)]),
                        QLocale().toString(token.position), what});
    }
    fillTable(*seconds_, rows);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        seconds_->item(static_cast<int>(i), 0)->setData(kKeyRole, keys[i]);
    }
}

AttentionChoice AttentionPage::mapChoice() const {
    AttentionChoice shown = choice();
    shown.tokens.clear();  // all rows are drawn
    return shown;
}

void AttentionPage::showMap() {
    if (!attention_ || attention_->weights.empty() || views_->currentWidget() != panel_ ||
        (map_of_ == attention_ && map_choice_ == mapChoice())) {
        return;
    }
    map_of_ = attention_;
    map_choice_ = mapChoice();
    panel_->setPreparing();
    Q_EMIT mapWanted();
}

void AttentionPage::setMap(const AttentionPointer& of, const AttentionChoice& choice,
                           const HeatmapPointer& map) {
    AttentionChoice drawn = choice;
    drawn.tokens.clear();
    if (of != attention_ || drawn != mapChoice()) {
        return;
    }
    // A locked cursor would take row 0 of the new map, and with it another word.
    const QSignalBlocker blocker(panel_->view());
    panel_->setMap(map);
    followWord();
    if (of->firstRow >= 0) {
        // Token × token first; Fit shows all that the rows could see.
        panel_->view()->setVisibleColumns(of->firstRow,
                                          of->firstRow + static_cast<double>(row_tokens_.size()));
    }
}

void AttentionPage::followWord() {
    HeatmapView* view = panel_->view();
    if (view->map() == nullptr || words_->chosen().size() != 1) {
        return;
    }
    const int row = words_->chosen().front();
    const bool prompt = attention_ && attention_->firstRow >= 0;
    // In a span the column stays within it: on the diagonal, where the position itself stands.
    view->setCurrent(
        row, prompt ? attention_->firstRow + row : std::max<qint64>(0, view->currentColumn()));
}

QString AttentionPage::answerText() const {
    return answer_->text();
}

std::vector<std::vector<double>> AttentionPage::lanes() const {
    std::vector<std::vector<double>> lanes;
    for (std::size_t i = 0; attention_ && !weights_.empty() && i < attention_->sources.size();
         ++i) {
        lanes.push_back(weightsOfSource(*attention_, weights_, static_cast<int>(i)));
    }
    return lanes;
}

}  // namespace earscope
