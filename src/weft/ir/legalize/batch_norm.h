// StableHLO's batch normalisation: all that belongs to one index of the feature dimension is normalised together. The formulas are
// those of its specification.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct BatchNorm {
  double epsilon = 0;
  std::int64_t feature_index = 0;
};

// Each throws Error for operands that do not fit: `scale`, `offset`, `mean` and `variance` have one element for each feature.
Value batch_norm_inference(Value x, Value scale, Value offset, Value mean, Value variance, const BatchNorm& norm);
// The result, and the mean and variance of each feature.
std::vector<Value> batch_norm_training(Value x, Value scale, Value offset, const BatchNorm& norm);
// The gradients of x, scale and offset.
std::vector<Value> batch_norm_grad(Value x, Value scale, Value mean, Value variance, Value grad_output,
                                   const BatchNorm& norm);

}  // namespace weft::ir::legalize
