#pragma once
#include "widgets/look/heatmap.h"

#include <QAbstractTableModel>

namespace earscope {

/// The numbers of a heatmap: the twin that a screen reader can read and a hand can copy.
class MatrixTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit MatrixTableModel(QObject* parent = nullptr);

    void setMap(HeatmapPointer map);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    HeatmapPointer map_;
};

}  // namespace earscope
