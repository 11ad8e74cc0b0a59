#include "widgets/look/lens_table_model.h"

#include "widgets/plot/theme.h"
#include "widgets/tokens/token_table_model.h"

#include <QColor>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>

#include <cmath>

namespace earscope {
namespace {

QColor shade(float probability) {
    const QPalette palette = QGuiApplication::palette();
    // At most half of the colour, so that the text keeps its contrast.
    return blended(palette.color(QPalette::Highlight), palette.color(QPalette::Base),
                   0.55 * std::sqrt(static_cast<double>(probability)));
}

}  // namespace

QString lensChoicesText(const std::vector<LensChoice>& choices) {
    QStringList parts;
    for (const LensChoice& choice : choices) {
        parts << QStringLiteral("“%1” %2 %")
                     .arg(readablePiece(choice.piece),
                          QLocale().toString(
                              100 * std::exp(static_cast<double>(choice.logProbability)), 'f', 1));
    }
    return parts.join(QStringLiteral(", "));
}

HeatmapPointer lensMap(const LensValue& value) {
    Heatmap map;
    const auto columns = static_cast<qint64>(value.positions.size());
    std::vector<float> values;
    for (std::size_t l = 0; l < value.layers.size(); ++l) {
        map.rows.numbers.push_back(value.layers[l]);
        for (const std::vector<LensChoice>& choices : value.choices[l]) {
            values.push_back(choices.empty() ? 0 : std::exp(choices.front().logProbability));
        }
    }
    map.values = {{static_cast<qint64>(value.layers.size()), columns},
                  std::make_shared<const std::vector<float>>(std::move(values))};
    map.valueName =
        QCoreApplication::translate("earscope::LensTableModel", "probability of the top token");
    map.scale = ValueScale::Share;
    map.rows.title = QCoreApplication::translate("earscope::LensTableModel", "hidden state");
    map.columns.title = QCoreApplication::translate("earscope::LensTableModel", "position");
    map.columns.tokens = std::make_shared<const std::vector<TokenValue>>(value.positions);
    return finished(std::move(map));
}

LensTableModel::LensTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void LensTableModel::setLens(LensPointer lens, HeatmapPointer map) {
    beginResetModel();
    lens_ = std::move(lens);
    map_ = std::move(map);
    endResetModel();
}

int LensTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->layers.size());
}

int LensTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->positions.size());
}

QVariant LensTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !lens_) {
        return {};
    }
    const std::vector<LensChoice>& choices =
        lens_->choices[static_cast<std::size_t>(index.row())]
                      [static_cast<std::size_t>(index.column())];
    if (choices.empty()) {
        return {};
    }
    const float probability = std::exp(choices.front().logProbability);
    switch (role) {
        case Qt::DisplayRole:
            return readablePiece(choices.front().piece);
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return tr("%1\nHidden state %2: %3")
                .arg(map_->columns.describe(index.column()),
                     QLocale().toString(lens_->layers[static_cast<std::size_t>(index.row())]),
                     lensChoicesText(choices));
        case Qt::BackgroundRole:
            return shade(probability);
        case Qt::ForegroundRole:
            return readableOn(shade(probability));
        default:
            return {};
    }
}

QVariant LensTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (!lens_ || !map_ || section < 0) {
        return {};
    }
    const bool columns = orientation == Qt::Horizontal;
    if (role == Qt::ToolTipRole) {
        return columns ? map_->columns.describe(section) : map_->rows.describe(section);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return columns ? map_->columns.detailOf(section) + QLatin1Char('\n') +
                         tr("pos. %1").arg(map_->columns.numberOf(section))
                   : tr("state %1").arg(map_->rows.numberOf(section));
}

}  // namespace earscope
