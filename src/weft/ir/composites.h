// Composites: functions made of primitives that stay recognisable in the graph, as StableHLO composites named weft.*, so that a
// gradient that saves less (or a better kernel) may stand for what the decomposition would give. Adding one touches this file
// and composites.cpp.
//
// All work along the last dimension, of rank >= 1 where there is a reduction, and on f32 or f64; others are the caller's to
// convert. Gradients use what the forward pass kept for other reasons: the result, or the input.
#pragma once

#include <array>
#include <string_view>

#include <weft/ir/op.h>

namespace weft::ir {

Value softmax(Value x);      // exp(x - max) / sum exp(x - max)
Value log_softmax(Value x);  // x - max - log sum exp(x - max)
Value gelu(Value x);         // x Phi(x), exactly (Hendrycks & Gimpel 2016)
Value gelu_tanh(Value x);    // its approximation by tanh, as GPT-2 uses it
Value silu(Value x);         // x logistic(x)

// (x - mean) * rsqrt(variance + epsilon) * weight + bias, with weight and bias of the last dimension's size; mean and the
// reciprocal deviation come second and third, of the shape without the last dimension. (Ba, Kiros & Hinton 2016)
std::array<Value, 3> layer_norm(Value x, Value weight, Value bias, double epsilon);

// x * rsqrt(mean(x^2) + epsilon) * weight; the reciprocal comes second. (Zhang & Sennrich 2019)
std::array<Value, 2> rms_norm(Value x, Value weight, double epsilon);

// The composite whose decomposition its gradient computes again, from its operands and when the cotangents are there, instead of
// keeping what the forward pass computed. (Chen et al. 2016; jax.checkpoint, torch.utils.checkpoint)
inline constexpr std::string_view checkpoint = "weft.checkpoint";

// What is known of a composite by its name.
struct Composite {
  std::string_view name;
  GradientRule gradient;
};
const Composite* find_composite(std::string_view name);

}  // namespace weft::ir
