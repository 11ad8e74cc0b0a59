#pragma once
// Values of the run list and the Compare tab.
#include "core/bridge/values.h"
#include "core/compare/comparison.h"

#include <optional>

namespace earscope {

/// A changed copy of a named profile.
struct SamplingValue {
    bool sample = false;
    double temperature = 1;
    double topP = 1;
    int topK = 0;
};

/// One column: what to run where.
struct RunSpec {
    QString folder;  ///< snapshot folder, "demo", "demo-moss"; empty: the model that is open
    QString profile = QStringLiteral("paper_reference");
    std::optional<SamplingValue> changed;  ///< instead of the profile's own
    int maxNewTokens = 16384;
    quint64 seed = 3407;
    QStringList edits;  ///< in force meanwhile, as written for earscope-cli
};

/// The same request under two specifications, one after the other; another snapshot is opened in
/// the present one's place and the present one afterwards again.
struct CompareJob {
    JobId id = 0;
    RequestValue request;
    RunSpec a;
    RunSpec b;
    bool states = false;      ///< also the embeddings and hidden states of both
    std::vector<int> layers;  ///< of the hidden states, 0..N, those a model has not are left out
};

/// Embeddings and hidden states of one run's prompt.
struct RunStates {
    std::vector<SourceEmbeddings> sources;
    std::vector<int> layers;
    std::vector<std::vector<TensorValue>> hidden;  ///< [source][layer]: [tokens, hiddenSize]
};

struct ComparedValue {
    JobId id = 0;
    RunPointer a;
    RunPointer b;
    RunStates statesA;  ///< empty when not asked for
    RunStates statesB;
    /// Why the model of before could not be opened again (then `unloaded` with id 0 came before);
    /// empty when it is there.
    QString modelLost;
};

}  // namespace earscope
