// Horizontal fusion: kernels that have nothing to do with one another and are each too small for a second thread run as one. The
// updates of a model's biases and norms are such; so is what foreach_map makes of many small tensors.
#pragma once

#include <vector>

#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Units stay in the order in which they will run, but for those that join one before them.
std::vector<Unit> join_small_kernels(std::vector<Unit> units, const SizeValues& sizes, Report& report);

}  // namespace weft::compiler
