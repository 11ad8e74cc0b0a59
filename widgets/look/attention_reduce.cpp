#include "widgets/look/attention_reduce.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::AttentionPage", text);
}

std::vector<int> orAll(const std::vector<int>& chosen, std::size_t count) {
    if (!chosen.empty()) {
        return chosen;
    }
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Calls `use` with the matrix of each chosen layer and head.
template <typename Use>
int forEachHead(const AttentionValue& value, const AttentionChoice& choice, Use use) {
    int used = 0;
    for (const int layer : orAll(choice.layers, value.weights.size())) {
        const auto& heads = value.weights[static_cast<std::size_t>(layer)];
        for (const int head : orAll(choice.heads, heads.size())) {
            use(heads[static_cast<std::size_t>(head)]);
            ++used;
        }
    }
    return used;
}

bool isAudio(const TokenValue& token) {
    return token.tokenClass == TokenClass::Audio && token.source >= 0;
}

}  // namespace

std::vector<TokenValue> attentionRows(const AttentionValue& value) {
    if (value.firstRow < 0) {
        return value.generated;
    }
    const bool any = !value.weights.empty() && !value.weights.front().empty();
    const auto first = value.tokens.begin() + value.firstRow;
    return {first, first + (any ? value.weights.front().front().rows() : 0)};
}

std::vector<double> meanWeights(const AttentionValue& value, const AttentionChoice& choice) {
    std::vector<double> mean;
    const int used = forEachHead(value, choice, [&](const TensorValue& weights) {
        mean.resize(static_cast<std::size_t>(weights.columns()), 0);
        for (const int token : choice.tokens) {
            for (std::size_t key = 0; key < mean.size(); ++key) {
                mean[key] += static_cast<double>(weights.at(token, static_cast<qint64>(key)));
            }
        }
    });
    const double rows = static_cast<double>(used) * static_cast<double>(choice.tokens.size());
    for (double& weight : mean) {
        weight = rows > 0 ? weight / rows : 0;
    }
    return mean;
}

AttentionShares attentionShares(const AttentionValue& value, const std::vector<double>& weights) {
    AttentionShares shares;
    shares.perSource.assign(value.sources.size(), 0);
    for (std::size_t key = 0; key < weights.size() && key < value.tokens.size(); ++key) {
        const TokenValue& token = value.tokens[key];
        if (token.tokenClass == TokenClass::Generated) {
            shares.answer += weights[key];
        } else if (isAudio(token) &&
                   static_cast<std::size_t>(token.source) < shares.perSource.size()) {
            shares.perSource[static_cast<std::size_t>(token.source)] += weights[key];
        } else {
            shares.text += weights[key];
        }
    }
    return shares;
}

std::vector<double> weightsOfSource(const AttentionValue& value, const std::vector<double>& weights,
                                    int source) {
    std::vector<double> result;
    for (std::size_t key = 0; key < weights.size() && key < value.tokens.size(); ++key) {
        const TokenValue& token = value.tokens[key];
        if (isAudio(token) && token.source == source && token.slotRow >= 0) {
            const auto slot = static_cast<std::size_t>(token.slotRow);
            result.resize(std::max(result.size(), slot + 1), 0);
            result[slot] = weights[key];
        }
    }
    return result;
}

std::vector<int> heaviestKeys(const std::vector<double>& weights, int count) {
    std::vector<int> keys(weights.size());
    std::iota(keys.begin(), keys.end(), 0);
    const auto kept = std::min(keys.size(), static_cast<std::size_t>(count));
    std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(kept), keys.end(),
                      [&](int a, int b) {
                          const double wa = weights[static_cast<std::size_t>(a)];
                          const double wb = weights[static_cast<std::size_t>(b)];
                          return wa != wb ? wa > wb : a < b;
                      });
    keys.resize(kept);
    return keys;
}

HeatmapPointer attentionMap(const AttentionValue& value, const AttentionChoice& choice) {
    Heatmap map;
    std::vector<float> sum;
    std::vector<qint64> shape;
    const int used = forEachHead(value, choice, [&](const TensorValue& weights) {
        shape = weights.shape;
        sum.resize(weights.data->size(), 0);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += (*weights.data)[i];
        }
    });
    for (float& weight : sum) {
        weight /= static_cast<float>(std::max(1, used));
    }
    map.values = {shape, std::make_shared<const std::vector<float>>(std::move(sum))};
    map.valueName = tr("attention weight");
    map.scale = ValueScale::Share;
    auto rows = std::make_shared<const std::vector<TokenValue>>(attentionRows(value));
    if (value.firstRow >= 0) {
        map.rows.title = tr("position looking");
    } else {
        map.rows.title = tr("token of the answer");
        for (std::size_t i = 0; i < rows->size(); ++i) {
            map.rows.numbers.push_back(static_cast<qint64>(i));
        }
    }
    map.rows.tokens = rows;
    map.columns.title = tr("position looked at");
    auto columns = std::make_shared<std::vector<TokenValue>>(value.tokens);
    columns->resize(static_cast<std::size_t>(map.values.columns()));
    map.columns.tokens = columns;
    return finished(std::move(map));
}

}  // namespace earscope
