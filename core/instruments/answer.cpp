#include "core/instruments/answer.h"

#include "core/base/errors.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope {

at::Tensor padded_ids(const std::vector<std::vector<std::int64_t>>& ids, std::int64_t pad_id) {
    std::size_t longest = 0;
    for (const auto& row : ids) {
        longest = std::max(longest, row.size());
    }
    std::vector<std::int64_t> flat;
    for (auto row : ids) {
        row.resize(longest, pad_id);
        flat.insert(flat.end(), row.begin(), row.end());
    }
    return at::tensor(flat, at::kLong)
        .view({static_cast<std::int64_t>(ids.size()), static_cast<std::int64_t>(longest)});
}

PreparedBatch with_answers(const PreparedBatch& batch,
                           const std::vector<std::vector<std::int64_t>>& ids, std::int64_t count,
                           std::int64_t pad_id) {
    PreparedBatch whole = batch;
    const at::Tensor& prompt = batch.inputs.input_ids;
    whole.inputs.prompt_width = prompt.size(1);
    const at::Tensor answer = padded_ids(ids, pad_id).narrow(1, 0, count);
    at::Tensor real = at::zeros_like(answer);
    for (std::size_t b = 0; b < ids.size(); ++b) {
        const auto length = static_cast<std::int64_t>(ids[b].size());
        real.select(0, static_cast<std::int64_t>(b)).narrow(0, 0, std::min(length, count)).fill_(1);
    }
    whole.inputs.input_ids = at::cat({prompt, answer.to(prompt.device())}, 1);
    whole.inputs.attention_mask =
        at::cat({batch.inputs.attention_mask, real.to(prompt.device())}, 1);
    return whole;
}

std::string token_text(const Processor& processor, std::int64_t id) {
    return processor.tokenizer.decode({id}, /*skip_special_tokens=*/false);
}

void check_layers(const std::vector<std::int64_t>& layers, std::int64_t count) {
    for (const std::int64_t layer : layers) {
        if (layer < 0 || layer >= count) {
            throw RequestError("there is no layer " + std::to_string(layer) +
                               " here: this model has 0 to " + std::to_string(count - 1));
        }
    }
}

}  // namespace earscope
