#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"
#include "widgets/look/pca.h"

#include <array>
#include <vector>

namespace earscope {

/// Vectors of one layer or stream, one row per token.
struct NamedStates {
    QString name;        ///< "hidden state 12"
    int layer = -1;      ///< number of the hidden state; -1: not one
    TensorValue values;  ///< [n, width]
    TokenList tokens;    ///< n
};

enum class LayerViewKind {
    Norm,            ///< hidden state x position
    CosineToBefore,  ///< hidden state x position
    CosineToPinned,  ///< kept state x position
    Dimensions,      ///< dimension x position of one state
    Similarity,      ///< token x token of one source
    Histogram,
    Largest,  ///< dimensions with the largest values
    Scatter,  ///< principal components of one source's tokens
};

/// All that the views are made from. Immutable once made.
struct LayersData {
    LayersValue value;
    TokenList tokens;
    std::vector<NamedStates> states;  ///< kept layers, then streams of the extraction
};
using LayersPointer = std::shared_ptr<const LayersData>;

struct LayerViewRequest {
    LayerViewKind kind = LayerViewKind::Norm;
    int states = 0;   ///< index into LayersData::states
    int source = 0;   ///< Similarity, Scatter
    int pinned = -1;  ///< position; CosineToPinned
    int around = 0;   ///< token of the source that Similarity keeps in view when it has too many

    bool operator==(const LayerViewRequest&) const = default;
};

struct Histogram {
    double low = 0;
    double high = 1;
    std::vector<qint64> counts;  ///< of equal bins
    qint64 notFinite = 0;
    QString valueName;
};

struct LargeDimension {
    int dimension = 0;
    float value = 0;  ///< the one of largest magnitude
    int row = 0;      ///< where it stands
    double mean = 0;
    double rms = 0;
};

struct Scatter {
    std::vector<std::array<double, 2>> points;
    std::array<double, 2> share{0, 0};
    std::vector<int> rows;  ///< row of the states of each point
    TokenList tokens;       ///< of each point
    int source = 0;
};

struct LayerView {
    LayerViewRequest request;
    HeatmapPointer map;
    std::shared_ptr<const Histogram> histogram;
    std::vector<LargeDimension> largest;
    std::shared_ptr<const Scatter> scatter;
    QString problem;  ///< why there is nothing to show; empty when there is
};

/// Tokens of the prompt and the states that were kept.
LayersPointer layersData(const LayersValue& value, std::vector<NamedStates> streams);

/// Work that grows with the tensors: for large ones off the GUI thread.
LayerView makeLayerView(const LayersPointer& data, const LayerViewRequest& request);

/// Tokens that Similarity shows at most; n * n cells are drawn.
inline constexpr int kMostSimilar = 2048;

Histogram histogramOf(const TensorValue& values, int bins = 101);
/// Largest magnitude first.
std::vector<LargeDimension> largestDimensions(const TensorValue& values, int count = 50);

struct Neighbour {
    int row = 0;
    double cosine = 0;
};
/// Rows most like `row` among `rows`, without itself, most alike first.
std::vector<Neighbour> nearestRows(const TensorValue& values, int row, const std::vector<int>& rows,
                                   int count = 10);
/// Rows of the audio tokens of one source, in order.
std::vector<int> rowsOfSource(const NamedStates& states, int source);

}  // namespace earscope
