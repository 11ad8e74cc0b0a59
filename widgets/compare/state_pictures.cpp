#include "widgets/compare/state_pictures.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::StatePictures", text);
}

void addKeys(std::vector<PictureKey>& keys, const RunStates& states, std::size_t source) {
    const auto add = [&keys](const PictureKey& key) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            keys.push_back(key);
        }
    };
    const int index = static_cast<int>(source);
    if (source < states.sources.size()) {
        for (const EmbeddingKind& kind : embeddingKinds(states.sources[source])) {
            add({index, kind, -1});
        }
    }
    for (std::size_t i = 0; i < states.layers.size(); ++i) {
        if (source < states.hidden.size() && i < states.hidden[source].size()) {
            add({index, {}, states.layers[i]});
        }
    }
}

std::shared_ptr<const EmbeddingMatrix> matrixOf(const RunStates& states, const PictureKey& key) {
    TensorValue values = pictureOf(states, key);
    if (values.isEmpty()) {
        return nullptr;
    }
    const auto source = static_cast<std::size_t>(key.source);
    std::vector<double> seconds;
    double step = 0;
    if (source < states.sources.size()) {
        seconds = states.sources[source].tokenSeconds;
        step = states.sources[source].secondsPerToken;
    }
    return std::make_shared<const EmbeddingMatrix>(
        summarizeMatrix(std::move(values), key.source, std::move(seconds), step));
}

QString shapeText(const EmbeddingMatrix& matrix) {
    return tr("%1 tokens × %2")
        .arg(QLocale().toString(matrix.tokens()), QLocale().toString(matrix.dimensions()));
}

ColorLimits widest(const ColorLimits& a, const ColorLimits& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

QString pictureName(const PictureKey& key) {
    return key.layer >= 0 ? tr("Hidden state %1").arg(QLocale().toString(key.layer))
                          : embeddingKindName(key.kind);
}

std::vector<PictureKey> pictureKeys(const RunStates& a, const RunStates& b) {
    std::vector<PictureKey> keys;
    const std::size_t sources =
        std::max({a.sources.size(), b.sources.size(), a.hidden.size(), b.hidden.size()});
    for (std::size_t source = 0; source < sources; ++source) {
        addKeys(keys, a, source);
        addKeys(keys, b, source);
    }
    return keys;
}

TensorValue pictureOf(const RunStates& states, const PictureKey& key) {
    const auto source = static_cast<std::size_t>(key.source);
    if (key.layer >= 0) {
        const auto layer = std::find(states.layers.begin(), states.layers.end(), key.layer);
        const auto index = static_cast<std::size_t>(layer - states.layers.begin());
        const bool there = layer != states.layers.end() && source < states.hidden.size() &&
                           index < states.hidden[source].size();
        return there ? states.hidden[source][index] : TensorValue();
    }
    if (source >= states.sources.size()) {
        return {};
    }
    const auto kinds = embeddingKinds(states.sources[source]);
    return std::find(kinds.begin(), kinds.end(), key.kind) != kinds.end()
               ? embeddingOf(states.sources[source], key.kind)
               : TensorValue();
}

TensorValue differenceOf(const TensorValue& a, const TensorValue& b) {
    std::vector<float> values(a.data->size());
    std::transform(a.data->begin(), a.data->end(), b.data->begin(), values.begin(),
                   [](float x, float y) { return x - y; });
    return {a.shape, std::make_shared<const std::vector<float>>(std::move(values))};
}

StatePicture makePicture(const RunStates& a, const RunStates& b, const PictureKey& key) {
    StatePicture picture;
    picture.key = key;
    picture.a = matrixOf(a, key);
    picture.b = matrixOf(b, key);
    if (!picture.a || !picture.b) {
        picture.reason = picture.a ? tr("A−B cannot be drawn: B has no such tensor.")
                                   : tr("A−B cannot be drawn: A has no such tensor.");
        const auto& one = picture.a ? picture.a : picture.b;
        if (one) {
            picture.robust = one->robust;
            picture.full = one->full;
        }
        return picture;
    }
    picture.robust = widest(picture.a->robust, picture.b->robust);
    picture.full = widest(picture.a->full, picture.b->full);
    if (picture.a->values.shape != picture.b->values.shape) {
        picture.reason = tr("A−B cannot be drawn: A has %1, B has %2.")
                             .arg(shapeText(*picture.a), shapeText(*picture.b));
        return picture;
    }
    TensorValue difference = differenceOf(picture.a->values, picture.b->values);
    for (const float value : *difference.data) {
        picture.largest = std::max(picture.largest, std::abs(static_cast<double>(value)));
    }
    picture.difference = std::make_shared<const EmbeddingMatrix>(summarizeMatrix(
        std::move(difference), key.source, picture.a->tokenSeconds, picture.a->secondsPerToken));
    return picture;
}

}  // namespace earscope
