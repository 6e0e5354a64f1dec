// The losses of a run as a small chart of plain characters, for the end of its summary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::cli {

struct ValidationLoss {
  std::int64_t step = 0;  // after so many steps, of all runs
  double loss = 0;
};

// `training` are the losses of the steps from `first_step` on; a column shows their mean. At most `columns` wide; empty if there
// are too few losses for a curve.
std::string loss_chart(std::span<const double> training, std::int64_t first_step,
                       std::span<const ValidationLoss> validation, int columns);

}  // namespace weft::cli
