#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"

#include <QAbstractTableModel>

#include <memory>

namespace earscope {

using LensPointer = std::shared_ptr<const LensValue>;

/// Probability of each cell's top token, as a map: a row per layer, a column per position.
HeatmapPointer lensMap(const LensValue& value);
/// "“ jazz” 34 %, “ a” 12 %"
QString lensChoicesText(const std::vector<LensChoice>& choices);

/// The top token of each layer at each position, shaded by its probability.
class LensTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit LensTableModel(QObject* parent = nullptr);

    void setLens(LensPointer lens, HeatmapPointer map);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    LensPointer lens_;
    HeatmapPointer map_;
};

}  // namespace earscope
