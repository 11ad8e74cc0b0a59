#pragma once
#include "core/instruments/edits.h"
#include "core/instruments/probes.h"
#include "core/session.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earscope {

struct CaptureResult {
    std::vector<Capture> captures;
    std::optional<GenerateResult> answer;  ///< where a probe asked for generated tokens
};

/// Runs as much of the model as the probes need and no more: the audio part, the decoder up to the
/// last layer probed, or, where a scope is `generated`, a whole generation. Nothing but the
/// captures is kept.
///
/// @param generate  how an answer comes about where one is needed; its stop token and progress
/// @throws RequestError  probes as ProbeSet, edits as EditSet
/// @throws DeviceError, Cancelled  as the session's calls
CaptureResult capture(Session& session, const PreparedBatch& batch,
                      std::span<const std::string> probes, const ProbeOptions& options,
                      std::span<const Edit> edits = {}, const GenerateOptions& generate = {});

}  // namespace earscope
