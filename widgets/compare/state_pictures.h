#pragma once
#include "core/bridge/run_values.h"
#include "widgets/embeddings/embedding_matrix.h"

#include <memory>
#include <vector>

namespace earscope {

/// Which tensor of two runs is put side by side: an embedding or a hidden state of one source.
struct PictureKey {
    int source = 0;
    EmbeddingKind kind;
    int layer = -1;  ///< of a hidden state; -1: the embedding `kind`

    bool operator==(const PictureKey&) const = default;
};

/// "Projected", "Hidden state 12".
QString pictureName(const PictureKey& key);
/// What A or B or both have, source by source in the order they are offered.
std::vector<PictureKey> pictureKeys(const RunStates& a, const RunStates& b);
/// Empty where the run has no such tensor.
TensorValue pictureOf(const RunStates& states, const PictureKey& key);
/// a − b; the shapes are equal.
TensorValue differenceOf(const TensorValue& a, const TensorValue& b);

/// A, B and A−B with what drawing them needs. Immutable once made.
struct StatePicture {
    PictureKey key;
    std::shared_ptr<const EmbeddingMatrix> a;
    std::shared_ptr<const EmbeddingMatrix> b;
    std::shared_ptr<const EmbeddingMatrix> difference;  ///< null where the shapes differ
    QString reason;                                     ///< why there is no difference
    ColorLimits robust;                                 ///< of A and B in common
    ColorLimits full;
    double largest = 0;  ///< greatest absolute difference
};

/// Work that grows with the tensors: call it off the GUI thread.
StatePicture makePicture(const RunStates& a, const RunStates& b, const PictureKey& key);

}  // namespace earscope
