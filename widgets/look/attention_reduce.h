#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"

#include <vector>

namespace earscope {

/// Which layers, heads and rows are averaged; empty layers or heads: all there are.
/// Indices into AttentionValue's lists, not numbers.
struct AttentionChoice {
    std::vector<int> layers;
    std::vector<int> heads;
    std::vector<int> tokens;

    bool operator==(const AttentionChoice&) const = default;
};

/// The tokens that look: those of the answer, or of the span of the prompt.
std::vector<TokenValue> attentionRows(const AttentionValue& value);

/// Mean weight of each key, [L+G-1]; of rows that sum to 1 the mean sums to 1.
std::vector<double> meanWeights(const AttentionValue& value, const AttentionChoice& choice);

struct AttentionShares {
    std::vector<double> perSource;
    double text = 0;    ///< prompt positions that are no audio token
    double answer = 0;  ///< generated tokens
};
AttentionShares attentionShares(const AttentionValue& value, const std::vector<double>& weights);

/// The weights of one source's audio tokens, by their index in the source.
std::vector<double> weightsOfSource(const AttentionValue& value, const std::vector<double>& weights,
                                    int source);

/// Keys with the largest weights, largest first.
std::vector<int> heaviestKeys(const std::vector<double>& weights, int count);

/// Row x position, mean over the chosen layers and heads. The work grows with rows, positions and
/// heads: it is done off the GUI thread.
HeatmapPointer attentionMap(const AttentionValue& value, const AttentionChoice& choice);

}  // namespace earscope
