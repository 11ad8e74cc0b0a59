#include "widgets/embeddings/embedding_matrix.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::EmbeddingMatrix", text);
}

}  // namespace

QString embeddingKindName(const EmbeddingKind& kind) {
    switch (kind.type) {
        case EmbeddingKind::Raw:
            return tr("Raw");
        case EmbeddingKind::Projected:
            return tr("Projected");
        case EmbeddingKind::DeepstackRaw:
            return tr("DeepStack %1, raw").arg(kind.stream);
        case EmbeddingKind::DeepstackProjected:
            return tr("DeepStack %1, projected").arg(kind.stream);
    }
    return {};
}

QString embeddingKindMeaning(const EmbeddingKind& kind) {
    switch (kind.type) {
        case EmbeddingKind::Raw:
            return tr("output of the audio encoder, after its final norm");
        case EmbeddingKind::Projected:
            return tr("output of the projector, as it enters the language model");
        case EmbeddingKind::DeepstackRaw:
            return tr("intermediate output of the audio encoder");
        case EmbeddingKind::DeepstackProjected:
            return tr("intermediate output after its merger, added inside the language model");
    }
    return {};
}

std::vector<EmbeddingKind> embeddingKinds(const SourceEmbeddings& source) {
    std::vector<EmbeddingKind> kinds;
    if (!source.projected.isEmpty()) {
        kinds.push_back({EmbeddingKind::Projected, 0});
    }
    if (!source.raw.isEmpty()) {
        kinds.push_back({EmbeddingKind::Raw, 0});
    }
    for (std::size_t i = 0; i < source.deepstackProjected.size(); ++i) {
        kinds.push_back({EmbeddingKind::DeepstackProjected, static_cast<int>(i)});
    }
    for (std::size_t i = 0; i < source.deepstackRaw.size(); ++i) {
        kinds.push_back({EmbeddingKind::DeepstackRaw, static_cast<int>(i)});
    }
    return kinds;
}

const TensorValue& embeddingOf(const SourceEmbeddings& source, const EmbeddingKind& kind) {
    switch (kind.type) {
        case EmbeddingKind::Projected:
            return source.projected;
        case EmbeddingKind::DeepstackRaw:
            return source.deepstackRaw[static_cast<std::size_t>(kind.stream)];
        case EmbeddingKind::DeepstackProjected:
            return source.deepstackProjected[static_cast<std::size_t>(kind.stream)];
        case EmbeddingKind::Raw:
            break;
    }
    return source.raw;
}

int EmbeddingMatrix::tokenAt(double seconds) const {
    const auto after = std::upper_bound(tokenSeconds.begin(), tokenSeconds.end(), seconds);
    const auto token = static_cast<int>(after - tokenSeconds.begin()) - 1;
    if (token < 0 || token >= tokens() ||
        seconds >= tokenSeconds[static_cast<std::size_t>(token)] + secondsPerToken) {
        return -1;
    }
    return token;
}

double EmbeddingMatrix::endSeconds() const {
    return tokenSeconds.empty() ? 0 : tokenSeconds.back() + secondsPerToken;
}

EmbeddingMatrix summarizeEmbedding(const SourceEmbeddings& source, int index,
                                   const EmbeddingKind& kind) {
    EmbeddingMatrix matrix = summarizeMatrix(embeddingOf(source, kind), index, source.tokenSeconds,
                                             source.secondsPerToken);
    matrix.kind = kind;
    return matrix;
}

EmbeddingMatrix summarizeMatrix(TensorValue values, int index, std::vector<double> tokenSeconds,
                                double secondsPerToken) {
    EmbeddingMatrix matrix;
    matrix.source = index;
    matrix.values = std::move(values);
    matrix.tokenSeconds = std::move(tokenSeconds);
    matrix.secondsPerToken = secondsPerToken;
    if (matrix.values.isEmpty()) {
        return matrix;
    }
    matrix.robust = symmetricLimits(robustLimits(matrix.values));
    matrix.full = symmetricLimits(fullLimits(matrix.values));
    matrix.norms.reserve(static_cast<std::size_t>(matrix.tokens()));
    for (int token = 0; token < matrix.tokens(); ++token) {
        double sum = 0;
        for (int i = 0; i < matrix.dimensions(); ++i) {
            const float value = matrix.values.at(token, i);
            sum += static_cast<double>(value) * static_cast<double>(value);
            matrix.notFinite += std::isfinite(value) ? 0 : 1;
            matrix.outsideRobust += std::abs(value) > matrix.robust.high ? 1 : 0;
        }
        matrix.norms.push_back(static_cast<float>(std::sqrt(sum)));
    }
    matrix.pyramid = MatrixPyramid(transposed(matrix.values), Reduction::MaxAbs);
    return matrix;
}

}  // namespace earscope
