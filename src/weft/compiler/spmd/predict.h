// Predicts, without compiling it, how long the program of every device takes, and how much of its communication computation hides. The
// predictions are rough, but the same wherever a program is compiled; they serve to compare ways to divide it.
#pragma once

#include <span>

#include <weft/compiler/options/options.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

// Predicts how long a node takes on one device. Of elementwise nodes, which are fused, only the results count.
double predict_seconds(const ir::Node& node, const Target& target);

struct PredictedStep {
  double seconds = 0;                                     // of a launch among others
  double communication_seconds = 0, exposed_seconds = 0;  // the second: computation waits
  double sent_bytes = 0;                                  // by each device
};

// `updated[i]` is the output that becomes input i of the next launch, and -1 if there is none.
PredictedStep predict(const Partitioned& program, const Options& options, std::span<const std::int32_t> updated);

}  // namespace weft::compiler
