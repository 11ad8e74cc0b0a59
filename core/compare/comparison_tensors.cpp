#include "core/compare/comparison_tensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

namespace earscope {
namespace {

void append(std::vector<NamedTensor>& tensors, std::vector<NamedTensor> more) {
    std::move(more.begin(), more.end(), std::back_inserter(tensors));
}

void append_prefixed(std::vector<NamedTensor>& all, const std::string& prefix,
                     std::vector<NamedTensor> tensors) {
    for (NamedTensor& entry : tensors) {
        entry.name = prefix + entry.name;
    }
    append(all, std::move(tensors));
}

std::vector<NamedTensor> state_tensors(const ColumnStates& states) {
    std::vector<NamedTensor> tensors = embedding_tensors(states.embeddings);
    append(tensors, contextual_tensors(states.hidden));
    return tensors;
}

std::vector<NamedTensor> differences(const std::vector<NamedTensor>& a,
                                     const std::vector<NamedTensor>& b) {
    std::vector<NamedTensor> result;
    for (const NamedTensor& one : a) {
        const auto other = std::find_if(b.begin(), b.end(), [&one](const NamedTensor& entry) {
            return entry.name == one.name;
        });
        if (other != b.end() && other->tensor.sizes() == one.tensor.sizes()) {
            result.push_back({one.name, one.tensor.to(at::kFloat) - other->tensor.to(at::kFloat)});
        }
    }
    return result;
}

}  // namespace

std::vector<NamedTensor> comparison_tensors(const ColumnStates& a, const ColumnStates& b) {
    const std::vector<NamedTensor> states_a = state_tensors(a);
    const std::vector<NamedTensor> states_b = state_tensors(b);
    std::vector<NamedTensor> all;
    append_prefixed(all, "a.", prepared_tensors(a.batch));
    append_prefixed(all, "a.", states_a);
    append_prefixed(all, "b.", prepared_tensors(b.batch));
    append_prefixed(all, "b.", states_b);
    append_prefixed(all, "difference.", differences(states_a, states_b));
    return all;
}

}  // namespace earscope
