#include "widgets/look/matrix_table_model.h"

#include <QLocale>

namespace earscope {

MatrixTableModel::MatrixTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void MatrixTableModel::setMap(HeatmapPointer map) {
    beginResetModel();
    map_ = std::move(map);
    endResetModel();
}

int MatrixTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !map_ || map_->values.isEmpty()
               ? 0
               : static_cast<int>(map_->values.rows());
}

int MatrixTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !map_ || map_->values.isEmpty()
               ? 0
               : static_cast<int>(map_->values.columns());
}

QVariant MatrixTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !map_) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return numberText(static_cast<double>(map_->values.at(index.row(), index.column())));
        case Qt::ToolTipRole:
            return map_->describe(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return QVariant(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
        default:
            return {};
    }
}

QVariant MatrixTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (!map_ || section < 0) {
        return {};
    }
    const HeatmapAxis& axis = orientation == Qt::Horizontal ? map_->columns : map_->rows;
    if (role == Qt::ToolTipRole) {
        return axis.describe(section);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString number = QLocale().toString(axis.numberOf(section));
    const QString detail = axis.detailOf(section);
    if (detail.isEmpty()) {
        return number;
    }
    return orientation == Qt::Horizontal ? number + QLatin1Char('\n') + detail
                                         : number + QStringLiteral(" · ") + detail;
}

}  // namespace earscope
