#pragma once
#include "core/instruments/statistics.h"
#include "core/instruments/targets.h"
#include "core/models/model.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace earscope {

struct ProbeOptions {
    bool keep = true;         ///< the tensors
    bool statistics = false;  ///< of what a tensor would be, over all calls
    bool on_device = false;   ///< keep the tensors where they are instead of on the CPU
};

/// What a probe saw.
struct Capture {
    std::string name;      ///< full: MODULE or MODULE@SCOPE, with #pre or #in where asked for
    at::Tensor values;     ///< undefined where it was not kept
    at::Tensor requests;   ///< int64 [n], of each row; undefined for a whole output
    at::Tensor positions;  ///< int64 [n], in the padded row; undefined for a whole output
    std::vector<std::int64_t> full_shape;  ///< of what would be kept
    Statistics statistics;                 ///< empty where not asked for
};

/// What a probe would keep.
struct ProbeSize {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t bytes = 0;
};

/// What can be said of probes before there is a request: the modules exist, the scopes fit them.
/// @throws RequestError
void check_probes(Module& model, std::span<const std::string> probes);

/// Sizes of what probes (see parse_target) would keep of one pass over the prompt, from the
/// model's dimensions; nothing is run. Exact for the modules of the language model, the projector
/// and the encoder's layers; scopes `generated` count `new_tokens` for every request.
/// @throws RequestError  as ProbeSet
std::vector<ProbeSize> probe_sizes(Model& model, std::span<const std::string> probes,
                                   const PreparedBatch& batch, std::int64_t new_tokens = 0);

/// Decoder layers that must run for these probes; layer_count() + 1 where one stands behind the
/// layers (final norm, output head, the model itself), 0 where all stand before them.
std::int64_t layers_needed(Model& model, std::span<const std::string> probes);

/// Stores what modules give (of several outputs, the first tensor) while this exists, copies in the
/// model's dtype, detached from any graph. Made after an EditSet it sees the edits. A probe without
/// a scope keeps a module's whole last output, but no step of a generation; one with a scope keeps
/// nothing but its rows, those of generated tokens step by step, and begins anew with every pass
/// over the prompt. Thread: the one that uses the model.
class ProbeSet {
public:
    ProbeSet() = default;
    /// Without scopes. A name given twice is stored once.
    /// @throws RequestError  a module that does not exist (with the nearest names), a scope
    ProbeSet(Module& model, std::span<const std::string> probes, const ProbeOptions& options = {});
    /// @throws RequestError  also a source that the batch does not have
    ProbeSet(Model& model, std::span<const std::string> probes, const PreparedBatch& batch,
             const ProbeOptions& options = {});

    /// In the order asked, the modules of a pattern in the model's; rows by request and then by
    /// position.
    ///
    /// @param answer_lengths  of each request: rows of `generated` behind the end of an answer are
    /// left out; empty: all
    /// @throws RequestError  a module that has not run since this was made
    std::vector<Capture> captured(std::span<const std::int64_t> answer_lengths = {}) const;

    struct Probe;

private:
    void attach(const Place& place, const Target& target, const ProbeOptions& options, Model* model,
                const PreparedBatch* batch);

    std::vector<std::shared_ptr<Probe>> probes_;  // shared with the hooks
    std::vector<HookHandle> handles_;
};

}  // namespace earscope
