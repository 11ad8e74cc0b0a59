#pragma once
#include "core/bridge/values.h"
#include "widgets/plot/color_map.h"

#include <QString>

#include <memory>
#include <vector>

namespace earscope {

using TokenList = std::shared_ptr<const std::vector<TokenValue>>;

/// What the rows or the columns of a matrix stand for.
struct HeatmapAxis {
    QString title;                ///< "hidden state", "dimension", "position"
    std::vector<qint64> numbers;  ///< of each row; empty: the tokens' positions, or 0, 1, 2, ...
    TokenList tokens;             ///< one for each row; null where they are no tokens

    qint64 numberOf(qint64 index) const;
    /// "hidden state 12", or the token in words.
    QString describe(qint64 index) const;
    /// Under the number at a tick: seconds of audio (with several sources "2: 1.00 s"), else the
    /// token's text; empty without tokens.
    QString detailOf(qint64 index) const;
    /// Index of an audio token by its source and its index in it, or -1.
    int indexOfSlot(int source, int slotRow) const;
    /// To be called once after `tokens` was set.
    void indexTokens();

private:
    std::vector<std::vector<int>> slots_;  ///< per source
};

/// How the colours of a matrix are chosen.
enum class ValueScale {
    Signed,    ///< diverging, symmetric about 0
    Positive,  ///< sequential, from the smallest to the largest value
    Cosine,    ///< diverging, always -1..1
    Share,     ///< sequential, from 0 on
};

/// A matrix with all that drawing it needs. Immutable once made.
struct Heatmap {
    TensorValue values;  ///< [rows, columns]
    MatrixPyramid pyramid;
    HeatmapAxis rows;
    HeatmapAxis columns;
    QString valueName;  ///< with its unit, if it has one
    ValueScale scale = ValueScale::Signed;
    bool firstRowAtBottom = false;
    QString about;  ///< what is not shown, and how to see it; may be empty
    ColorLimits robust;
    ColorLimits full;
    qint64 outsideRobust = 0;
    qint64 notFinite = 0;

    bool isDiverging() const { return scale == ValueScale::Signed || scale == ValueScale::Cosine; }
    /// "position 331 ..., hidden state 12: norm 13.1"
    QString describe(qint64 row, qint64 column) const;
};

using HeatmapPointer = std::shared_ptr<const Heatmap>;

/// Fills pyramid, limits and counts of a map whose other fields are set. The work grows with the
/// matrix: large ones are done off the GUI thread.
HeatmapPointer finished(Heatmap map);

/// Four significant digits in the user's locale.
QString numberText(double value);

}  // namespace earscope
