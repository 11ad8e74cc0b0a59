#include "core/instruments/capture.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope {

CaptureResult capture(Session& session, const PreparedBatch& batch,
                      std::span<const std::string> probes, const ProbeOptions& options,
                      std::span<const Edit> edits, const GenerateOptions& generate) {
    Model& model = session.model();
    const EditSet in_force(model, edits, batch);
    const ProbeSet set(model, probes, batch, options);
    CaptureResult result;
    const bool generated = std::any_of(probes.begin(), probes.end(), [](const std::string& text) {
        return parse_target(text).scope.kind == Scope::Kind::Generated;
    });
    if (generated) {
        result.answer = session.generate(batch, generate);
        std::vector<std::int64_t> lengths;
        for (const auto& ids : result.answer->ids) {
            lengths.push_back(static_cast<std::int64_t>(ids.size()));
        }
        result.captures = set.captured(lengths);
        return result;
    }
    CallOptions call;
    call.stop = generate.stop;
    call.progress = generate.progress;
    ForwardOptions forward;
    forward.run_layers = layers_needed(model, probes);
    session.forward(batch, forward, call);
    result.captures = set.captured();
    return result;
}

}  // namespace earscope
