#pragma once
#include "core/bridge/values.h"

#include <QAbstractTableModel>

#include <vector>

namespace earscope {

/// One row per position of the request: what stands there and where in the sound it comes from.
class TokenTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        PositionColumn,
        IdColumn,
        PieceColumn,
        ClassColumn,
        SourceColumn,
        SlotRowColumn,
        SecondsColumn,
        ColumnCount
    };

    explicit TokenTableModel(QObject* parent = nullptr);

    void setTokens(std::vector<TokenValue> tokens);
    const std::vector<TokenValue>& tokens() const { return tokens_; }
    const TokenValue& token(int row) const { return tokens_[static_cast<std::size_t>(row)]; }

    /// Row of the audio token of a source by its index within the source, or -1.
    int rowOfSlot(int source, int slotRow) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(const TokenValue& token, int column) const;

    std::vector<TokenValue> tokens_;
    std::vector<std::vector<int>> slot_rows_;  ///< per source
};

/// The piece with control pictures (U+2400 and up), which common fonts lack, as escapes: "\n".
QString readablePiece(const QString& piece);
/// "12.480 – 12.520 s", or an empty text where a token has no time.
QString tokenSpanText(const TokenValue& token);
/// The token in words, for tooltips and screen readers.
QString tokenDescription(const TokenValue& token);

}  // namespace earscope
