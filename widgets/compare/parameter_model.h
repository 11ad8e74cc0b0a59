#pragma once
#include "core/compare/comparison.h"

#include <QAbstractTableModel>

#include <vector>

namespace earscope {

/// The parameters of two runs, a row each. Rows that differ come first, are bold and bear a sign.
class ParameterModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { SignColumn, NameColumn, AColumn, BColumn, ColumnCount };

    explicit ParameterModel(QObject* parent = nullptr);

    void setParameters(std::vector<ComparedParameter> parameters);
    bool differs(int row) const { return parameters_[static_cast<std::size_t>(row)].differs; }
    int differing() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    std::vector<ComparedParameter> parameters_;
};

}  // namespace earscope
