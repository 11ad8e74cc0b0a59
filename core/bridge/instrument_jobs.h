#pragma once
// The instruments' jobs on the computing thread: from plain values to the core and back.
#include "core/bridge/instrument_values.h"
#include "core/instruments/edits.h"
#include "core/session.h"

namespace earscope {

struct KeptResult;

/// What a job runs on and with.
struct InstrumentRun {
    Session& session;
    const PreparedBatch& batch;  ///< of the job's one request
    CallOptions call;
    std::function<void(const StreamEvent&)> onToken;  ///< text as it comes; may be empty
    KeptResult* kept = nullptr;                       ///< takes the result for an export
    std::string weights;                              ///< digest of the session's
};

/// Edits as written for earscope-cli.
/// @throws RequestError  names the one that is malformed
std::vector<Edit> toEdits(const QStringList& edits);

// Each throws the exceptions of core.
ProbesValue runProbes(const ProbeJob& job, const InstrumentRun& run);
LayersValue runLayers(const LayersJob& job, const InstrumentRun& run);
LensValue runLens(const LensJob& job, const InstrumentRun& run);
AttentionValue runAttention(const AttentionJob& job, const InstrumentRun& run);
SaliencyValue runSaliency(const SaliencyJob& job, const InstrumentRun& run);
AlternativesValue runAlternatives(const AlternativesJob& job, const InstrumentRun& run);
/// Runs nothing. What the core refuses becomes `problem`.
ProbeEstimate estimateProbes(const ProbeJob& job, const InstrumentRun& run);
/// Runs one pass, or the first seconds of one. What the core refuses becomes `problem`.
PassEstimate estimatePass(const PassJob& job, const InstrumentRun& run);

}  // namespace earscope
