#include "core/instruments/positions.h"

#include "core/base/errors.h"

#include <ATen/ATen.h>

namespace earscope {

Positions parse_positions(std::string_view text) {
    if (text == "audio") {
        return Positions::Audio;
    }
    if (text == "last") {
        return Positions::Last;
    }
    if (text == "all") {
        return Positions::All;
    }
    throw RequestError("positions '" + std::string(text) + "': expected audio, last or all");
}

at::Tensor chosen_positions(const PreparedBatch& batch, Positions positions) {
    const at::Tensor real = batch.inputs.attention_mask.cpu() != 0;  // [B,L]
    if (positions == Positions::All) {
        return real.nonzero();
    }
    at::Tensor chosen = at::zeros_like(real);
    if (positions == Positions::Last) {
        chosen.select(1, chosen.size(1) - 1).fill_(true);
        return chosen.nonzero();
    }
    for (const AudioSlot& slot : batch.slots) {
        chosen.select(0, slot.sample_index).index_fill_(0, slot.token_positions.cpu(), true);
    }
    return chosen.nonzero();
}

}  // namespace earscope
