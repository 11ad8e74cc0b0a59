#pragma once
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earscope {

/// What is differentiated: the sum of squares, in float32, of
enum class GradientLoss {
    Audio,       ///< the projected embeddings of all sources
    Contextual,  ///< the last hidden state (after the final norm) at all audio positions
};

/// The name of the mel input among the things to differentiate by.
inline constexpr std::string_view kMelName = "mel";

struct Gradients {
    at::Tensor loss;  ///< float32 [1], CPU
    /// In the order asked; the shape and dtype of what was differentiated by. All zero where the
    /// loss does not depend on it.
    std::vector<std::pair<std::string, at::Tensor>> by_name;
};

/// Derivatives of `loss` by the mel ("mel", [W,128,3000] for Music Flamingo) and by parameters of
/// the model. Hooks of the model are in force. The parameters' requires_grad is afterwards as it
/// was, also after an exception, and no .grad is filled.
///
/// @param names  "mel" or names of named_parameters(); one given twice counts once
/// @throws RequestError  a parameter that does not exist (with the nearest names), no audio in the
/// batch
/// @throws DeviceError, Cancelled  as the session's calls
Gradients compute_gradients(Session& session, const PreparedBatch& batch, GradientLoss loss,
                            const std::vector<std::string>& names, CallOptions options = {});

}  // namespace earscope
