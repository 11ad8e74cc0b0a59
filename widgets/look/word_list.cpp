#include "widgets/look/word_list.h"

#include "widgets/plot/theme.h"
#include "widgets/tokens/token_table_model.h"

#include <QCoreApplication>
#include <QLocale>
#include <QSignalBlocker>

#include <algorithm>

namespace earscope {
namespace {

/// Lines that are wanted at most; the rest is scrolled to.
constexpr int kLines = 4;

/// Control characters come made visible (U+2400 and up): line feed and its like divide words.
bool isBlank(QChar c) {
    return c.isSpace() || (c.unicode() >= 0x2400 && c.unicode() <= 0x2421);
}

bool isSpecial(const QString& piece) {
    return piece.startsWith(QStringLiteral("<|")) && piece.endsWith(QStringLiteral("|>"));
}

}  // namespace

std::vector<int> wordNumbers(const std::vector<TokenValue>& tokens) {
    std::vector<int> numbers;
    int word = 0;
    bool begins = true;
    for (const TokenValue& token : tokens) {
        const QString& piece = token.piece;
        const bool blank = std::all_of(piece.begin(), piece.end(), isBlank);
        if (isSpecial(piece) || blank) {
            numbers.push_back(0);
            begins = true;
            continue;
        }
        word += begins || isBlank(piece.front()) ? 1 : 0;
        numbers.push_back(word);
        begins = isBlank(piece.back());
    }
    return numbers;
}

QString wordText(const TokenValue& token, int index, int word) {
    const QLocale locale;
    const QString piece = readablePiece(token.piece);
    if (token.tokenClass == TokenClass::Audio && token.startSeconds >= 0) {
        return QCoreApplication::translate("earscope::WordList", "The sound at %1 of source %2")
            .arg(tokenSpanText(token), locale.toString(token.source + 1));
    }
    if (token.tokenClass != TokenClass::Generated) {
        return QCoreApplication::translate("earscope::WordList", "Position %1: “%2”")
            .arg(locale.toString(token.position), piece);
    }
    return word > 0 ? QCoreApplication::translate("earscope::WordList", "Token %1 (word %2): “%3”")
                          .arg(locale.toString(index), locale.toString(word), piece)
                    : QCoreApplication::translate("earscope::WordList", "Token %1: “%2”")
                          .arg(locale.toString(index), piece);
}

WordList::WordList(QWidget* parent) : QListWidget(parent) {
    setAccessibleName(tr("Tokens of the answer"));
    setFlow(LeftToRight);
    setWrapping(true);
    setResizeMode(Adjust);
    setSelectionMode(ExtendedSelection);
    setSpacing(1);
    setLayoutMode(Batched);
    setBatchSize(500);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListWidget::itemSelectionChanged, this, &WordList::chosenChanged);
}

void WordList::setTokens(const std::vector<TokenValue>& tokens) {
    const int before = currentRow();
    {
        const QSignalBlocker blocker(this);
        tokens_ = tokens;
        words_ = wordNumbers(tokens);
        colors_.clear();
        details_.clear();
        marked_ = -1;
        clear();
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            addItem(new QListWidgetItem);
            refreshItem(static_cast<int>(i));
        }
    }
    updateGeometry();
    if (count() > 0) {
        choose(before >= 0 && before < count() ? before : 0);
    }
    Q_EMIT chosenChanged();
}

void WordList::refreshItem(int index) {
    const auto at = static_cast<std::size_t>(index);
    QListWidgetItem* item = this->item(index);
    const QString piece = readablePiece(tokens_[at].piece);
    if (tokens_[at].tokenClass == TokenClass::Audio && tokens_[at].startSeconds >= 0) {
        item->setText(tr("%1 s").arg(QLocale().toString(tokens_[at].startSeconds, 'f', 2)));
    } else {
        item->setText(piece.trimmed().isEmpty() ? QStringLiteral("␣") : piece);
    }
    QString about = wordText(tokens_[at], index, words_[at]);
    if (index < details_.size()) {
        about += QLatin1Char('\n') + details_[index];
    }
    item->setToolTip(about);
    item->setData(Qt::AccessibleTextRole, about);
    if (at < colors_.size()) {
        item->setBackground(colors_[at]);
        item->setForeground(readableOn(colors_[at]));
    }
    QFont shown = font();
    shown.setBold(index == marked_);
    shown.setUnderline(index == marked_);
    item->setFont(shown);
}

void WordList::setShades(const std::vector<QColor>& colors, const QStringList& details) {
    const QSignalBlocker blocker(this);
    colors_ = colors;
    details_ = details;
    for (int i = 0; i < count(); ++i) {
        refreshItem(i);
    }
}

void WordList::setMarked(int index) {
    marked_ = index;
    for (int i = 0; i < count(); ++i) {
        refreshItem(i);
    }
}

int WordList::wordOf(int index) const {
    return words_[static_cast<std::size_t>(index)];
}

std::vector<int> WordList::chosen() const {
    std::vector<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedIndexes()) {
        rows.push_back(index.row());
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

void WordList::choose(int index) {
    if (index >= 0 && index < count()) {
        setCurrentRow(index, QItemSelectionModel::ClearAndSelect);
        scrollToItem(item(index));
    }
}

QSize WordList::sizeHint() const {
    constexpr int kPadding = 10;  // of an item, about
    const int room = std::max(100, viewport()->width());
    int lines = 1;
    int used = 0;
    for (int i = 0; i < count() && lines < kLines; ++i) {
        const int width = fontMetrics().horizontalAdvance(item(i)->text()) + kPadding;
        lines += used + width > room ? 1 : 0;
        used = used + width > room ? width : used + width;
    }
    return {320, lines * lineHeight() + 2 * frameWidth() + kPadding};
}

QSize WordList::minimumSizeHint() const {
    return {100, lineHeight() + 2 * frameWidth()};
}

int WordList::lineHeight() const {
    return fontMetrics().height() + 8;
}

}  // namespace earscope
