#include "core/instruments/top_choices.h"

#include "core/base/errors.h"

#include <ATen/ATen.h>

#include <string>

namespace earscope {

at::Tensor top_indices(const at::Tensor& values, std::int64_t k) {
    // topk promises nothing about ties, neither which of them it takes nor their order.
    auto [highest, indices] = at::topk(values, k);
    const at::Tensor smallest = highest.narrow(-1, k - 1, 1);  // [n,1]
    const at::Tensor cut_ties =
        (values == smallest).sum(-1).ne((highest == smallest).sum(-1)).nonzero().cpu();
    for (std::int64_t i = 0; i < cut_ties.size(0); ++i) {
        const std::int64_t row = cut_ties[i][0].item<std::int64_t>();
        const at::Tensor tied = (values[row] == smallest[row]).nonzero().flatten();  // rising
        const at::Tensor above = indices[row].masked_select(highest[row] > smallest[row]);
        indices[row].copy_(at::cat({above, tied.narrow(0, 0, k - above.numel())}));
    }
    const at::Tensor by_index = std::get<0>(at::sort(indices, -1));
    const at::Tensor order =
        std::get<1>(at::sort(values.gather(-1, by_index), /*stable=*/true, /*dim=*/-1,
                             /*descending=*/true));
    return by_index.gather(-1, order);
}

TopChoices top_choices(const at::Tensor& logits, std::int64_t k) {
    const at::Tensor wide = logits.to(at::kFloat);
    const at::Tensor ids = top_indices(wide, k);
    return {ids, wide.gather(-1, ids) - at::logsumexp(wide, -1, /*keepdim=*/true)};
}

void check_top_k(std::int64_t k, std::int64_t vocabulary) {
    if (k < 1 || k > vocabulary) {
        throw RequestError("top-k is " + std::to_string(k) + "; this model has 1 to " +
                           std::to_string(vocabulary) + " tokens to choose from");
    }
}

}  // namespace earscope
