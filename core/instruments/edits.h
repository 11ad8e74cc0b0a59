#pragma once
#include "core/instruments/targets.h"
#include "core/models/model.h"
#include "core/session.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

enum class EditOperation { Zero, Add, Scale, Noise, From };

/// Replaces the output (of several, the first tensor) of the modules that `target` names, at the
/// positions of its scope.
struct Edit {
    Target target;
    EditOperation operation = EditOperation::Zero;
    double value = 0;           ///< what to add, the factor, or the deviation of the noise
    std::uint64_t seed = 3407;  ///< noise only
    std::string file;           ///< from only: a safetensors file ...
    std::string tensor;         ///< ... and the tensor in it, of the shape of the scoped rows
};

/// Reads "TARGET=zero", "TARGET=add:0.1", "TARGET=scale:0.5", "TARGET=noise:0.1",
/// "TARGET=noise:0.1:7" or "TARGET=from:FILE#TENSOR" (FILE ends at the first #). TARGET: see
/// parse_target.
/// @throws RequestError  names the text and the forms there are
Edit parse_edit(std::string_view text);

/// The text that parse_edit reads, for manifests.
std::string edit_text(const Edit& edit);
std::vector<std::string> edit_texts(std::span<const Edit> edits);

/// What can be said of edits before there is a request: the modules exist, the scopes fit them.
/// @throws RequestError
void check_edits(Module& model, std::span<const Edit> edits);

/// Edits in force: forward hooks that are removed when this is destroyed. Edits of one module act
/// in the order given; hooks registered later (probes) see the edited value.
///
/// Noise is normal with mean 0, drawn in float32 on the CPU. In the language model every position
/// has numbers of its own, which follow from seed, module and position alone: a pass over prompt
/// and answer meets the noise under which the answer came about. Elsewhere the numbers come from a
/// stream that goes on over all calls of the module, until `restart`. No other generator is
/// touched. A saved tensor replaces prompt positions only. Gradients flow through add, scale and
/// noise; zero and from cut them.
/// Thread: the one that uses the model.
class EditSet {
public:
    EditSet() = default;
    /// For a module without positions.
    /// @throws RequestError  a module that does not exist (with the nearest names), a scope
    EditSet(Module& model, std::span<const Edit> edits);
    /// @throws RequestError  also a source that the batch does not have, a saved tensor that is not
    /// there or has another number of rows
    EditSet(Model& model, std::span<const Edit> edits, const PreparedBatch& batch);

    /// Noise outside of the language model begins again at its seed.
    void restart();

private:
    struct Stream;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::vector<HookHandle> handles_;
};

/// The module of that name.
/// @throws RequestError  with the nearest names
Module& find_module(Module& model, std::string_view name);

}  // namespace earscope
