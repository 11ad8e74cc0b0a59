#include "widgets/look/layer_views.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::LayerView", text);
}

TensorValue tensor(qint64 rows, qint64 columns, std::vector<float> values) {
    return {{rows, columns}, std::make_shared<const std::vector<float>>(std::move(values))};
}

/// The asked rows, each of length 1; rows of zeros stay zero.
TensorValue unitRows(const TensorValue& values, const std::vector<int>& rows) {
    const auto width = static_cast<std::size_t>(values.columns());
    std::vector<float> data(rows.size() * width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const float* from = values.data->data() + static_cast<std::size_t>(rows[r]) * width;
        double sum = 0;
        for (std::size_t c = 0; c < width; ++c) {
            sum += static_cast<double>(from[c]) * static_cast<double>(from[c]);
        }
        const double scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
        for (std::size_t c = 0; c < width; ++c) {
            data[r * width + c] = static_cast<float>(static_cast<double>(from[c]) * scale);
        }
    }
    return tensor(static_cast<qint64>(rows.size()), values.columns(), std::move(data));
}

/// Eight sums side by side: a single one would wait for each addition.
float dot(const float* a, const float* b, std::size_t count) {
    std::array<float, 8> sums{};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    float sum = std::accumulate(sums.begin(), sums.end(), 0.0F);
    for (; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

TokenList chosenTokens(const TokenList& tokens, const std::vector<int>& rows) {
    auto chosen = std::make_shared<std::vector<TokenValue>>();
    for (const int row : rows) {
        chosen->push_back((*tokens)[static_cast<std::size_t>(row)]);
    }
    return chosen;
}

HeatmapPointer statisticMap(const LayersData& data, LayerViewKind kind) {
    Heatmap map;
    const bool norm = kind == LayerViewKind::Norm;
    map.values = norm ? data.value.norm : data.value.cosineToBefore;
    map.valueName = norm ? tr("norm") : tr("cosine to the state before");
    map.scale = norm ? ValueScale::Positive : ValueScale::Cosine;
    map.rows.title = tr("hidden state");
    map.columns.title = tr("position");
    map.columns.tokens = data.tokens;
    map.firstRowAtBottom = true;
    return finished(std::move(map));
}

HeatmapPointer pinnedMap(const LayersData& data, int pinned) {
    std::vector<float> values;
    Heatmap map;
    const std::size_t positions = data.tokens->size();
    for (const NamedStates& states : data.states) {
        if (states.layer < 0) {
            continue;
        }
        std::vector<int> rows(positions);
        std::iota(rows.begin(), rows.end(), 0);
        const TensorValue unit = unitRows(states.values, rows);
        const auto width = static_cast<std::size_t>(unit.columns());
        const float* pin = unit.data->data() + static_cast<std::size_t>(pinned) * width;
        for (std::size_t r = 0; r < positions; ++r) {
            values.push_back(dot(pin, unit.data->data() + r * width, width));
        }
        map.rows.numbers.push_back(states.layer);
    }
    map.values = tensor(static_cast<qint64>(map.rows.numbers.size()),
                        static_cast<qint64>(positions), std::move(values));
    map.valueName = tr("cosine to position %1").arg(QLocale().toString(pinned));
    map.scale = ValueScale::Cosine;
    map.rows.title = tr("hidden state");
    map.columns.title = tr("position");
    map.columns.tokens = data.tokens;
    map.firstRowAtBottom = true;
    if (map.values.rows() < data.value.norm.rows()) {
        map.about = tr("Shows the %1 of %2 hidden states that were kept whole.")
                        .arg(QLocale().toString(map.values.rows()),
                             QLocale().toString(data.value.norm.rows()));
    }
    return finished(std::move(map));
}

HeatmapPointer dimensionMap(const NamedStates& states) {
    Heatmap map;
    map.values = transposed(states.values);
    map.valueName = tr("value in %1").arg(states.name);
    map.rows.title = tr("dimension");
    map.columns.title = tr("position");
    map.columns.tokens = states.tokens;
    return finished(std::move(map));
}

HeatmapPointer similarityMap(const NamedStates& states, const LayerViewRequest& request) {
    std::vector<int> rows = rowsOfSource(states, request.source);
    Heatmap map;
    const auto all = static_cast<int>(rows.size());
    if (all > kMostSimilar) {
        const int first = std::clamp(request.around - kMostSimilar / 2, 0, all - kMostSimilar);
        rows = std::vector<int>(rows.begin() + first, rows.begin() + first + kMostSimilar);
        const QLocale locale;
        map.about = tr("Shows tokens %1 to %2 of %3: those around the cursor. Put the cursor "
                       "elsewhere and choose the view again to see others.")
                        .arg(locale.toString(first), locale.toString(first + kMostSimilar - 1),
                             locale.toString(all));
    }
    const TensorValue unit = unitRows(states.values, rows);
    const auto count = rows.size();
    const auto width = static_cast<std::size_t>(unit.columns());
    std::vector<float> values(count * count);
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a; b < count; ++b) {
            const float cosine =
                dot(unit.data->data() + a * width, unit.data->data() + b * width, width);
            values[a * count + b] = values[b * count + a] = cosine;
        }
    }
    map.values = tensor(static_cast<qint64>(count), static_cast<qint64>(count), std::move(values));
    map.valueName = tr("cosine in %1").arg(states.name);
    map.scale = ValueScale::Cosine;
    map.rows.title = map.columns.title = tr("position");
    map.rows.tokens = map.columns.tokens = chosenTokens(states.tokens, rows);
    return finished(std::move(map));
}

std::shared_ptr<const Scatter> scatterOf(const NamedStates& states, int source) {
    auto scatter = std::make_shared<Scatter>();
    scatter->rows = rowsOfSource(states, source);
    scatter->source = source;
    const auto width = static_cast<std::size_t>(states.values.columns());
    std::vector<float> chosen;
    chosen.reserve(scatter->rows.size() * width);
    for (const int row : scatter->rows) {
        const float* from = states.values.data->data() + static_cast<std::size_t>(row) * width;
        chosen.insert(chosen.end(), from, from + width);
    }
    const PrincipalPlane plane = principalPlane(tensor(static_cast<qint64>(scatter->rows.size()),
                                                       states.values.columns(), std::move(chosen)));
    scatter->points = plane.points;
    scatter->share = plane.share;
    scatter->tokens = chosenTokens(states.tokens, scatter->rows);
    return scatter;
}

bool needsStates(LayerViewKind kind) {
    return kind != LayerViewKind::Norm && kind != LayerViewKind::CosineToBefore;
}

QString problemOf(const LayersData& data, const LayerViewRequest& request) {
    if (!needsStates(request.kind)) {
        return {};
    }
    if (data.states.empty()) {
        return tr("No layer was kept whole. Name layers in the field “Keep whole” and read again.");
    }
    if (request.kind == LayerViewKind::CosineToPinned) {
        const bool kept = std::any_of(data.states.begin(), data.states.end(),
                                      [](const NamedStates& s) { return s.layer >= 0; });
        if (!kept) {
            return tr("No layer was kept whole.");
        }
        return request.pinned < 0 || static_cast<std::size_t>(request.pinned) >= data.tokens->size()
                   ? tr("Choose a cell in another view, then press “Pin position”.")
                   : QString();
    }
    const NamedStates& states = data.states[static_cast<std::size_t>(request.states)];
    const bool one_source =
        request.kind == LayerViewKind::Similarity || request.kind == LayerViewKind::Scatter;
    return one_source && rowsOfSource(states, request.source).empty()
               ? tr("This source has no tokens here.")
               : QString();
}

}  // namespace

std::vector<int> rowsOfSource(const NamedStates& states, int source) {
    std::vector<int> rows;
    for (std::size_t i = 0; states.tokens && i < states.tokens->size(); ++i) {
        const TokenValue& token = (*states.tokens)[i];
        if (token.tokenClass == TokenClass::Audio && token.source == source) {
            rows.push_back(static_cast<int>(i));
        }
    }
    return rows;
}

LayersPointer layersData(const LayersValue& value, std::vector<NamedStates> streams) {
    auto data = std::make_shared<LayersData>();
    data->value = value;
    data->tokens = std::make_shared<const std::vector<TokenValue>>(value.tokens);
    for (std::size_t i = 0; i < value.states.size(); ++i) {
        const int layer = value.layers[i];
        const bool last = layer + 1 == value.norm.rows();
        QString name = tr("hidden state %1").arg(layer);
        if (layer == 0) {
            name += tr(" (decoder input)");
        } else if (last) {
            name += tr(" (after the final norm)");
        } else {
            name += tr(" (output of block %1)").arg(layer - 1);
        }
        data->states.push_back({name, layer, value.states[i], data->tokens});
    }
    for (NamedStates& stream : streams) {
        data->states.push_back(std::move(stream));
    }
    return data;
}

Histogram histogramOf(const TensorValue& values, int bins) {
    Histogram histogram;
    histogram.counts.assign(static_cast<std::size_t>(bins), 0);
    if (values.isEmpty()) {
        return histogram;
    }
    const ColorLimits limits = fullLimits(values);
    histogram.low = static_cast<double>(limits.low);
    histogram.high = static_cast<double>(limits.high);
    const double scale = bins / (histogram.high - histogram.low);
    for (const float value : *values.data) {
        if (!std::isfinite(value)) {
            ++histogram.notFinite;
            continue;
        }
        const auto bin = static_cast<int>((static_cast<double>(value) - histogram.low) * scale);
        ++histogram.counts[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))];
    }
    return histogram;
}

std::vector<LargeDimension> largestDimensions(const TensorValue& values, int count) {
    std::vector<LargeDimension> result(static_cast<std::size_t>(values.columns()));
    if (values.isEmpty()) {
        return {};
    }
    for (std::size_t c = 0; c < result.size(); ++c) {
        result[c].dimension = static_cast<int>(c);
    }
    for (qint64 r = 0; r < values.rows(); ++r) {
        for (LargeDimension& dimension : result) {
            const float value = values.at(r, dimension.dimension);
            if (std::abs(value) > std::abs(dimension.value) || std::isnan(value)) {
                dimension.value = value;
                dimension.row = static_cast<int>(r);
            }
            dimension.mean += static_cast<double>(value);
            dimension.rms += static_cast<double>(value) * static_cast<double>(value);
        }
    }
    const auto rows = static_cast<double>(values.rows());
    for (LargeDimension& dimension : result) {
        dimension.mean /= rows;
        dimension.rms = std::sqrt(dimension.rms / rows);
    }
    const auto magnitude = [](const LargeDimension& d) {
        return std::isnan(d.value) ? std::numeric_limits<float>::infinity() : std::abs(d.value);
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const LargeDimension& a, const LargeDimension& b) {
                         return magnitude(a) > magnitude(b);
                     });
    result.resize(std::min(result.size(), static_cast<std::size_t>(count)));
    return result;
}

std::vector<Neighbour> nearestRows(const TensorValue& values, int row, const std::vector<int>& rows,
                                   int count) {
    std::vector<Neighbour> result;
    const auto width = static_cast<std::size_t>(values.columns());
    const float* from = values.data->data() + static_cast<std::size_t>(row) * width;
    const double length = std::sqrt(static_cast<double>(dot(from, from, width)));
    for (const int other : rows) {
        if (other == row) {
            continue;
        }
        const float* to = values.data->data() + static_cast<std::size_t>(other) * width;
        const double norm = length * std::sqrt(static_cast<double>(dot(to, to, width)));
        result.push_back({other, norm > 0 ? static_cast<double>(dot(from, to, width)) / norm : 0});
    }
    const auto kept = std::min(result.size(), static_cast<std::size_t>(count));
    std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(kept),
                      result.end(), [](const Neighbour& a, const Neighbour& b) {
                          return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
                      });
    result.resize(kept);
    return result;
}

LayerView makeLayerView(const LayersPointer& data, const LayerViewRequest& request) {
    LayerView view;
    view.request = request;
    view.problem = problemOf(*data, request);
    if (!view.problem.isEmpty()) {
        return view;
    }
    const NamedStates* states =
        data->states.empty() ? nullptr : &data->states[static_cast<std::size_t>(request.states)];
    switch (request.kind) {
        case LayerViewKind::Norm:
        case LayerViewKind::CosineToBefore:
            view.map = statisticMap(*data, request.kind);
            break;
        case LayerViewKind::CosineToPinned:
            view.map = pinnedMap(*data, request.pinned);
            break;
        case LayerViewKind::Dimensions:
            view.map = dimensionMap(*states);
            break;
        case LayerViewKind::Similarity:
            view.map = similarityMap(*states, request);
            break;
        case LayerViewKind::Histogram: {
            Histogram histogram = histogramOf(states->values);
            histogram.valueName = tr("value in %1").arg(states->name);
            view.histogram = std::make_shared<const Histogram>(std::move(histogram));
            break;
        }
        case LayerViewKind::Largest:
            view.largest = largestDimensions(states->values);
            break;
        case LayerViewKind::Scatter:
            view.scatter = scatterOf(*states, request.source);
            break;
    }
    return view;
}

}  // namespace earscope
