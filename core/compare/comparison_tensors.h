#pragma once
#include "core/compare/column.h"
#include "core/export/tensor_export.h"

#include <vector>

namespace earscope {

/// What a comparison stores of two columns, under the names of the scheme with a prefix: `a.` and
/// `b.` for ids, mask, token positions and times, embeddings and hidden states of each, and
/// `difference.` for a minus b in float32 where both have an embedding or hidden state of that name
/// and shape.
std::vector<NamedTensor> comparison_tensors(const ColumnStates& a, const ColumnStates& b);

}  // namespace earscope
