#include "widgets/tokens/token_table_model.h"

#include "widgets/tokens/token_colors.h"

#include <QBrush>
#include <QCoreApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>

namespace earscope {
namespace {

/// Numbers stand right, words left.
QVariant alignmentOf(int column) {
    const bool left =
        column == TokenTableModel::PieceColumn || column == TokenTableModel::ClassColumn;
    return QVariant(Qt::Alignment((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
}

}  // namespace

QString readablePiece(const QString& piece) {
    QString result;
    for (const QChar c : piece) {
        const int control = c.unicode() - 0x2400;
        switch (control) {
            case 0x09:
                result += QStringLiteral("\\t");
                break;
            case 0x0a:
                result += QStringLiteral("\\n");
                break;
            case 0x0d:
                result += QStringLiteral("\\r");
                break;
            default:
                if (control >= 0 && control <= 0x21) {
                    const int code = control == 0x21 ? 0x7f : control;
                    result += QStringLiteral("\\x%1").arg(code, 2, 16, QLatin1Char('0'));
                } else {
                    result += c;
                }
        }
    }
    return result;
}

QString tokenSpanText(const TokenValue& token) {
    if (token.startSeconds < 0) {
        return {};
    }
    const QLocale locale;
    return QCoreApplication::translate("earscope::TokenTableModel", "%1 – %2 s")
        .arg(locale.toString(token.startSeconds, 'f', 3),
             locale.toString(token.endSeconds, 'f', 3));
}

QString tokenDescription(const TokenValue& token) {
    const QLocale locale;
    QString text =
        QCoreApplication::translate("earscope::TokenTableModel", "Position %1, %2, id %3, %4")
            .arg(locale.toString(token.position), tokenClassName(token.tokenClass),
                 QString::number(token.id), readablePiece(token.piece));
    if (token.source >= 0) {
        text += QCoreApplication::translate("earscope::TokenTableModel", "\nSource %1")
                    .arg(token.source + 1);
    }
    if (token.slotRow >= 0) {
        text += QCoreApplication::translate("earscope::TokenTableModel", ", token %1, %2")
                    .arg(locale.toString(token.slotRow), tokenSpanText(token));
    }
    return text;
}

TokenTableModel::TokenTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TokenTableModel::setTokens(std::vector<TokenValue> tokens) {
    beginResetModel();
    tokens_ = std::move(tokens);
    slot_rows_.clear();
    for (std::size_t row = 0; row < tokens_.size(); ++row) {
        const TokenValue& token = tokens_[row];
        if (token.source < 0 || token.slotRow < 0) {
            continue;
        }
        const auto source = static_cast<std::size_t>(token.source);
        const auto slot = static_cast<std::size_t>(token.slotRow);
        if (source >= slot_rows_.size()) {
            slot_rows_.resize(source + 1);
        }
        if (slot >= slot_rows_[source].size()) {
            slot_rows_[source].resize(slot + 1, -1);
        }
        slot_rows_[source][slot] = static_cast<int>(row);
    }
    endResetModel();
}

int TokenTableModel::rowOfSlot(int source, int slotRow) const {
    if (source < 0 || slotRow < 0 || static_cast<std::size_t>(source) >= slot_rows_.size()) {
        return -1;
    }
    const auto& rows = slot_rows_[static_cast<std::size_t>(source)];
    return static_cast<std::size_t>(slotRow) < rows.size() ? rows[static_cast<std::size_t>(slotRow)]
                                                           : -1;
}

int TokenTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(tokens_.size());
}

int TokenTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString TokenTableModel::text(const TokenValue& token, int column) const {
    switch (column) {
        case PositionColumn:
            return QLocale().toString(token.position);
        case IdColumn:
            return QString::number(token.id);
        case PieceColumn:
            return readablePiece(token.piece);
        case ClassColumn:
            return tokenClassName(token.tokenClass);
        case SourceColumn:
            return token.source >= 0 ? QLocale().toString(token.source + 1) : QString();
        case SlotRowColumn:
            return token.slotRow >= 0 ? QLocale().toString(token.slotRow) : QString();
        case SecondsColumn:
            return tokenSpanText(token);
        default:
            return {};
    }
}

QVariant TokenTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= static_cast<int>(tokens_.size())) {
        return {};
    }
    const TokenValue& value = token(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return text(value, index.column());
        case Qt::ToolTipRole:
            return tokenDescription(value);
        case Qt::TextAlignmentRole:
            return QVariant(
                Qt::Alignment(index.column() == PieceColumn || index.column() == ClassColumn
                                  ? Qt::AlignLeft | Qt::AlignVCenter
                                  : Qt::AlignRight | Qt::AlignVCenter));
        case Qt::FontRole:
            return index.column() == PieceColumn
                       ? QVariant(QFontDatabase::systemFont(QFontDatabase::FixedFont))
                       : QVariant();
        case Qt::DecorationRole:
            return index.column() == ClassColumn
                       ? QVariant(
                             tokenBrush(value.tokenClass, value.source, QGuiApplication::palette())
                                 .color())
                       : QVariant();
        default:
            return {};
    }
}

QVariant TokenTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return alignmentOf(section);
    }
    if (role == Qt::ToolTipRole && section == SlotRowColumn) {
        return tr("Index of the token within its source: the row of its embedding.");
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case PositionColumn:
            return tr("Position");
        case IdColumn:
            return tr("Id");
        case PieceColumn:
            return tr("Piece");
        case ClassColumn:
            return tr("Class");
        case SourceColumn:
            return tr("Source");
        case SlotRowColumn:
            return tr("Row");
        case SecondsColumn:
            return tr("Seconds");
        default:
            return {};
    }
}

}  // namespace earscope
