#pragma once
#include "core/bridge/values.h"
#include "widgets/plot/color_map.h"

#include <QString>

#include <memory>
#include <vector>

namespace earscope {

/// Which of a source's tensors is looked at.
struct EmbeddingKind {
    enum Type { Raw, Projected, DeepstackRaw, DeepstackProjected };

    Type type = Raw;
    int stream = 0;  ///< of DeepStack

    bool operator==(const EmbeddingKind&) const = default;
};

/// Translated name, and where in the model the numbers are taken.
QString embeddingKindName(const EmbeddingKind& kind);
QString embeddingKindMeaning(const EmbeddingKind& kind);
/// The kinds that a source has, in the order they are offered.
std::vector<EmbeddingKind> embeddingKinds(const SourceEmbeddings& source);
const TensorValue& embeddingOf(const SourceEmbeddings& source, const EmbeddingKind& kind);

/// One embedding tensor of one source with all that drawing it needs. Immutable once made.
struct EmbeddingMatrix {
    int source = 0;
    EmbeddingKind kind;
    TensorValue values;        ///< [tokens, dimensions], as extracted
    MatrixPyramid pyramid;     ///< transposed: a row per dimension, a column per token
    ColorLimits robust;        ///< symmetric about 0, from p0.5…p99.5
    ColorLimits full;          ///< symmetric about 0, holds every value
    qint64 outsideRobust = 0;  ///< values beyond `robust`
    qint64 notFinite = 0;      ///< NaN and infinite values
    std::vector<float> norms;  ///< Euclidean norm of each token
    std::vector<double> tokenSeconds;
    double secondsPerToken = 0;

    int tokens() const { return static_cast<int>(values.rows()); }
    int dimensions() const { return static_cast<int>(values.columns()); }
    /// Token whose nominal span holds this time, or -1.
    int tokenAt(double seconds) const;
    double endSeconds() const;
};

/// Does the work that grows with the tensor (up to a second for twenty minutes of sound): call it
/// off the GUI thread.
EmbeddingMatrix summarizeEmbedding(const SourceEmbeddings& source, int index,
                                   const EmbeddingKind& kind);
/// The same for any [tokens, dimensions] of source `index`.
EmbeddingMatrix summarizeMatrix(TensorValue values, int index, std::vector<double> tokenSeconds,
                                double secondsPerToken);

}  // namespace earscope
