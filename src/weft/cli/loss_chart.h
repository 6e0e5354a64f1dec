// Draws the losses of a run as a small text chart, for the end of its summary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::cli {

struct ValidationLoss {
  std::int64_t step = 0;  // total number of steps done, over all runs
  double loss = 0;
};

// Returns the chart. `training` contains the losses of the steps from `first_step` on; each column shows their mean.
// The chart is at most `columns` wide; it is empty if there are too few losses.
std::string loss_chart(std::span<const double> training, std::int64_t first_step,
                       std::span<const ValidationLoss> validation, int columns);

}  // namespace weft::cli
