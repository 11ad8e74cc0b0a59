#pragma once
// What instruments found, kept on the computing thread until it is exported or replaced.
#include "core/base/progress.h"
#include "core/bridge/instrument_values.h"
#include "core/export/tensor_export.h"
#include "core/instruments/alternatives.h"
#include "core/instruments/attention_maps.h"
#include "core/instruments/capture.h"
#include "core/instruments/layer_views.h"
#include "core/instruments/lens.h"
#include "core/instruments/saliency.h"

#include <functional>

namespace earscope {

struct InstrumentRun;

/// A result with the names and the manifest that earscope-cli gives it.
struct KeptResult {
    JobId id = 0;
    /// Puts the tensors together: large ones are held once, by the value that the window has too.
    std::function<std::vector<NamedTensor>()> tensors;
    nlohmann::json manifest;
    std::string document;  ///< of a result that is no tensors: the text of a JSON file
};

// Each is made from the core's result and from the value that the window got of it.
KeptResult keptProbes(const ProbeJob& job, const InstrumentRun& run, const CaptureResult& result,
                      const ProbesValue& value);
KeptResult keptLens(const LensJob& job, const InstrumentRun& run, const LensResult& result);
KeptResult keptAttention(const AttentionJob& job, const InstrumentRun& run,
                         const AttentionResult& result, const AttentionValue& value);
KeptResult keptSaliency(const SaliencyJob& job, const InstrumentRun& run,
                        const SaliencyResult& result);
KeptResult keptAlternatives(const AlternativesJob& job, const InstrumentRun& run,
                            const AlternativesResult& result);
KeptResult keptLayers(const LayersJob& job, const InstrumentRun& run, const LayerViews& views,
                      const LayersValue& value);

/// Writes tensors (.safetensors, .npz) or the document (.json); the file is there whole or not.
/// @return  names of the tensors written
/// @throws RequestError  nothing was kept
/// @throws ExportError   the ending, the folder, the disk
/// @throws Cancelled
QStringList writeKept(const KeptResult& kept, const std::filesystem::path& file,
                      const std::stop_token& stop, const ProgressCallback& progress);

/// The names of what was written, in its order.
QStringList tensorNames(const std::vector<NamedTensor>& tensors);

}  // namespace earscope
