#pragma once
#include "core/nn/module.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

enum class EditOperation { Zero, Add, Scale, Noise };

/// Replaces the output of one module (of several outputs, the first tensor).
struct Edit {
    std::string module;  ///< as in named_modules()
    EditOperation operation = EditOperation::Zero;
    double value = 0;           ///< what to add, the factor, or the deviation of the noise
    std::uint64_t seed = 3407;  ///< noise only
};

/// Reads "MODULE=zero", "MODULE=add:0.1", "MODULE=scale:0.5", "MODULE=noise:0.1" or
/// "MODULE=noise:0.1:7".
/// @throws RequestError  names the text and the forms there are
Edit parse_edit(std::string_view text);

/// The text that parse_edit reads, for manifests.
std::string edit_text(const Edit& edit);

/// Edits in force: forward hooks that are removed when this is destroyed. Edits of one module act
/// in the order given; hooks registered later (probes) see the edited value.
///
/// Noise is normal with mean 0, float32, drawn on the CPU from a stream of its own that starts at
/// the edit's seed when this is made and goes on over all calls of the module, so that every row
/// and every generated step gets other numbers. No other generator is touched. Gradients flow
/// through add, scale and noise; zero cuts them.
/// Thread: the one that uses the model.
class EditSet {
public:
    EditSet() = default;
    /// @throws RequestError  a module that does not exist, with the nearest names
    EditSet(Module& model, std::span<const Edit> edits);

private:
    std::vector<HookHandle> handles_;
};

/// The module of that name.
/// @throws RequestError  with the nearest names
Module& find_module(Module& model, std::string_view name);

}  // namespace earscope
