#pragma once
#include "core/bridge/values.h"

#include <array>
#include <vector>

namespace earscope {

/// The two directions along which rows differ most.
struct PrincipalPlane {
    std::vector<std::array<double, 2>> points;      ///< one per row: its place on the two axes
    std::array<double, 2> share{0, 0};              ///< of the whole variance
    std::array<std::vector<double>, 2> directions;  ///< unit vectors, one entry per column
};

/// Principal components of `values` [n,D] about the mean of its rows, by block power iteration with
/// a Rayleigh-Ritz step in double precision. The sign of a direction is such that its entry of
/// largest magnitude is positive, so that pictures repeat. Rows that are not finite count as the
/// mean.
///
/// Time: O(n * D) per round, at most 200 rounds: large tensors are done off the GUI thread.
PrincipalPlane principalPlane(const TensorValue& values);

}  // namespace earscope
