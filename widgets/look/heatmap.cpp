#include "widgets/look/heatmap.h"

#include "widgets/tokens/token_table_model.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::Heatmap", text);
}

void setLimits(Heatmap& map) {
    switch (map.scale) {
        case ValueScale::Signed:
            map.robust = symmetricLimits(robustLimits(map.values));
            map.full = symmetricLimits(fullLimits(map.values));
            break;
        case ValueScale::Positive:
            map.robust = robustLimits(map.values);
            map.full = fullLimits(map.values);
            break;
        case ValueScale::Share:
            map.robust = {0, robustLimits(map.values).high};
            map.full = {0, fullLimits(map.values).high};
            break;
        case ValueScale::Cosine:
            map.robust = map.full = {-1, 1};
            break;
    }
}

}  // namespace

QString numberText(double value) {
    return QLocale().toString(value, 'g', 4);
}

qint64 HeatmapAxis::numberOf(qint64 index) const {
    if (!numbers.empty()) {
        return numbers[static_cast<std::size_t>(index)];
    }
    return tokens ? (*tokens)[static_cast<std::size_t>(index)].position : index;
}

QString HeatmapAxis::describe(qint64 index) const {
    if (tokens) {
        return tokenDescription((*tokens)[static_cast<std::size_t>(index)]);
    }
    return title + QLatin1Char(' ') + QLocale().toString(numberOf(index));
}

QString HeatmapAxis::detailOf(qint64 index) const {
    if (!tokens) {
        return {};
    }
    const TokenValue& token = (*tokens)[static_cast<std::size_t>(index)];
    if (token.tokenClass == TokenClass::Audio && token.startSeconds >= 0) {
        const QString seconds = tr("%1 s").arg(QLocale().toString(token.startSeconds, 'f', 2));
        return slots_.size() > 1 ? tr("%1: %2").arg(QString::number(token.source + 1), seconds)
                                 : seconds;
    }
    return readablePiece(token.piece);
}

void HeatmapAxis::indexTokens() {
    slots_.clear();
    if (!tokens) {
        return;
    }
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        const TokenValue& token = (*tokens)[i];
        if (token.tokenClass != TokenClass::Audio || token.source < 0 || token.slotRow < 0) {
            continue;
        }
        const auto source = static_cast<std::size_t>(token.source);
        const auto slot = static_cast<std::size_t>(token.slotRow);
        if (slots_.size() <= source) {
            slots_.resize(source + 1);
        }
        if (slots_[source].size() <= slot) {
            slots_[source].resize(slot + 1, -1);
        }
        slots_[source][slot] = static_cast<int>(i);
    }
}

int HeatmapAxis::indexOfSlot(int source, int slotRow) const {
    if (source < 0 || slotRow < 0 || static_cast<std::size_t>(source) >= slots_.size()) {
        return -1;
    }
    const std::vector<int>& rows = slots_[static_cast<std::size_t>(source)];
    return static_cast<std::size_t>(slotRow) < rows.size() ? rows[static_cast<std::size_t>(slotRow)]
                                                           : -1;
}

QString Heatmap::describe(qint64 row, qint64 column) const {
    if (row < 0 || column < 0 || row >= values.rows() || column >= values.columns()) {
        return {};
    }
    return tr("%1\n%2\n%3: %4")
        .arg(columns.describe(column), rows.describe(row), valueName,
             numberText(static_cast<double>(values.at(row, column))));
}

HeatmapPointer finished(Heatmap map) {
    if (!map.values.isEmpty()) {
        setLimits(map);
        map.outsideRobust = std::count_if(
            map.values.data->begin(), map.values.data->end(),
            [&](float value) { return value < map.robust.low || value > map.robust.high; });
        map.notFinite = std::count_if(map.values.data->begin(), map.values.data->end(),
                                      [](float value) { return !std::isfinite(value); });
    }
    map.pyramid = MatrixPyramid(map.values, map.isDiverging() ? Reduction::MaxAbs : Reduction::Max);
    map.rows.indexTokens();
    map.columns.indexTokens();
    return std::make_shared<const Heatmap>(std::move(map));
}

}  // namespace earscope
