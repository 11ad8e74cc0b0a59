#include "widgets/compare/parameter_model.h"

#include <QFont>

#include <algorithm>

namespace earscope {

ParameterModel::ParameterModel(QObject* parent) : QAbstractTableModel(parent) {}

void ParameterModel::setParameters(std::vector<ComparedParameter> parameters) {
    beginResetModel();
    parameters_ = std::move(parameters);
    std::stable_partition(parameters_.begin(), parameters_.end(),
                          [](const ComparedParameter& p) { return p.differs; });
    endResetModel();
}

int ParameterModel::differing() const {
    return static_cast<int>(std::count_if(parameters_.begin(), parameters_.end(),
                                          [](const ComparedParameter& p) { return p.differs; }));
}

int ParameterModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

int ParameterModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ParameterModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const ComparedParameter& parameter = parameters_[static_cast<std::size_t>(index.row())];
    if (role == Qt::FontRole && parameter.differs) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::AccessibleTextRole && index.column() == SignColumn) {
        return parameter.differs ? tr("differs") : tr("equal");
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (index.column()) {
        case SignColumn:
            return parameter.differs ? QStringLiteral("≠") : QString();
        case NameColumn:
            return QString::fromStdString(parameter.name);
        case AColumn:
            return QString::fromStdString(parameter.a);
        case BColumn:
            return QString::fromStdString(parameter.b);
        default:
            return {};
    }
}

QVariant ParameterModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    switch (section) {
        case NameColumn:
            return tr("Parameter");
        case AColumn:
            return tr("A");
        case BColumn:
            return tr("B");
        default:
            return {};
    }
}

}  // namespace earscope
