// StableHLO's batch normalisation: all elements with the same index in the feature dimension are normalised together. The
// formulas are those of the specification.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct BatchNorm {
  double epsilon = 0;
  std::int64_t feature_index = 0;
};

// All of these throw Error if the operands do not fit: `scale`, `offset`, `mean` and `variance` have one element per feature.
Value batch_norm_inference(Value x, Value scale, Value offset, Value mean, Value variance, const BatchNorm& norm);
// Returns the result, and the mean and variance of each feature.
std::vector<Value> batch_norm_training(Value x, Value scale, Value offset, const BatchNorm& norm);
// Returns the gradients of x, scale and offset.
std::vector<Value> batch_norm_grad(Value x, Value scale, Value mean, Value variance, Value grad_output,
                                   const BatchNorm& norm);

}  // namespace weft::ir::legalize
