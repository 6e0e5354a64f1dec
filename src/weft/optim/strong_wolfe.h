// A line search for the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6): the loss has decreased enough, and its
// slope is much smaller than at the start. It tries the same points as torch.optim.LBFGS. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <weft/tensor/tensor.h>

namespace weft::optim::detail {

// A point of a line, `at` steps from its start.
struct LinePoint {
  double at = 0, loss = 0, slope = 0;  // the slope is the derivative of the loss by `at`
  double largest_gradient = 0;         // the largest magnitude of an element
  std::vector<Tensor> gradients = {};
};

// Returns the best point that was found with at most `max_evaluations` evaluations, which is `start` if all others are worse. `unit` is the
// largest magnitude of an element of one step; brackets in which no element would change by `tolerance_change` are not divided.
LinePoint strong_wolfe(const std::function<LinePoint(double at)>& evaluate, const LinePoint& start, double first,
                       double unit, double tolerance_change, std::int64_t max_evaluations);

}  // namespace weft::optim::detail
