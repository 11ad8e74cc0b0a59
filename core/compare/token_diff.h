#pragma once
#include "core/compare/comparison.h"

#include <span>

namespace earscope {

/// The steps that turn the tokens of `a` into those of `b`, every token of both in order; between
/// equal stretches those of `a` come first. Tokens are equal when id and piece are: where two
/// vocabularies differ, the same id may be another word.
///
/// Equal beginnings and ends are cut off first; the rest goes to dtl's O(NP) algorithm, which gives
/// a shortest script up to 2 million points of search and beyond that a valid one that may be
/// longer. Measured with two answers of 16,384 tokens without a common one: 0.25 s, 100 MB.
std::vector<DiffStep> token_diff(std::span<const RunToken> a, std::span<const RunToken> b);

/// Steps of one kind in a row, half-open ranges as in Python's difflib.
struct DiffBlock {
    bool equal = false;
    std::int64_t a_begin = 0;
    std::int64_t a_end = 0;
    std::int64_t b_begin = 0;
    std::int64_t b_end = 0;
};
std::vector<DiffBlock> diff_blocks(std::span<const DiffStep> steps);

}  // namespace earscope
