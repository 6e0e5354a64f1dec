// Horizontal fusion: runs kernels that are independent of one another and too small for a second thread as one. Examples are the updates of
// a model's biases and norms, and what foreach_map makes of many small tensors.
#pragma once

#include <vector>

#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns the units in the order in which they will run; units that join an earlier one move to its place.
std::vector<Unit> join_small_kernels(std::vector<Unit> units, const SizeValues& sizes, Report& report);

}  // namespace weft::compiler
