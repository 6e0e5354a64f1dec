// Composites: functions made of primitives that stay recognisable in the graph, as StableHLO composites named weft.*. A composite
// can have a gradient that saves less memory than the gradient of its decomposition, or a better kernel. Adding one changes only
// this file and composites.cpp.
//
// All of them work along the last dimension; those with a reduction need rank >= 1. They take f32 or f64, and the caller converts
// other dtypes. Gradients use only values that the forward pass keeps anyway: the result or the input.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/op.h>

namespace weft::ir {

Value softmax(Value x);       // exp(x - max) / sum exp(x - max)
Value safe_softmax(Value x);  // softmax, but 0 where a row is all -inf (as PyTorch's _safe_softmax)
Value log_softmax(Value x);   // x - max - log sum exp(x - max)
Value gelu(Value x);          // x Phi(x), exactly (Hendrycks & Gimpel 2016)
Value gelu_tanh(Value x);     // the tanh approximation of gelu, as GPT-2 uses it
Value silu(Value x);          // x logistic(x)

// Returns (x - mean) * rsqrt(variance + epsilon) * weight + bias, where weight and bias have the size of the last dimension. The
// second and third results are the mean and the reciprocal standard deviation, without the last dimension. (Ba, Kiros & Hinton
// 2016)
std::array<Value, 3> layer_norm(Value x, Value weight, Value bias, double epsilon);

// Returns x * rsqrt(mean(x^2) + epsilon) * weight; the second result is the reciprocal root. (Zhang & Sennrich 2019)
std::array<Value, 2> rms_norm(Value x, Value weight, double epsilon);

// The names of attention: softmax(q k^T / sqrt(width)) v for queries [..., queries, width], keys [..., keys, width] and values
// [..., keys, out]. Causal: query i sees keys 0 to i + keys - queries. A fourth operand is a mask that broadcasts to
// [..., queries, keys]: booleans mark visible keys, numbers are added to the scores. The second result is the logarithm of the sum of
// exponentials of each query's scores, [..., queries]. Their gradients take the operands, both results and the cotangent of the first
// result, and return those of q, k and v. The decomposition stands in tensor/attention.cpp.
inline constexpr std::string_view attention = "weft.attention", causal_attention = "weft.causal_attention",
                                  attention_gradient = "weft.attention_gradient",
                                  causal_attention_gradient = "weft.causal_attention_gradient";

// The names of Fourier transforms. Operands and results are the real and the imaginary part. The inverse is not divided by the number of
// elements. The decompositions stand in legalize/fft.cpp.
// The first two transform the last dimension, of at least two, and a real operand has no second part; the next two, the last but one, of at
// least three.
inline constexpr std::string_view fourier = "weft.fft", inverse_fourier = "weft.ifft";
inline constexpr std::string_view column_fourier = "weft.fft_columns", inverse_column_fourier = "weft.ifft_columns";
// These transform rows of n real numbers, for an even n, to the first n / 2 + 1 of the results, which determine the others, and back; the
// imaginary parts of the first and the last of them count as 0.
inline constexpr std::string_view real_fourier = "weft.rfft", inverse_real_fourier = "weft.irfft";

// Appends a composite of this name. Its decomposition is what `build` returns for inputs of the operands' types; it depends only on the
// name and these types.
std::vector<Value> call_composite(std::string_view name, std::span<const Value> operands,
                                  const std::function<std::vector<Value>(std::span<const Value>)>& build);

// The name of the checkpoint composite. Its gradient computes the decomposition again from the operands once the cotangents are
// available, instead of keeping the values of the forward pass. (Chen et al. 2016; jax.checkpoint, torch.utils.checkpoint)
inline constexpr std::string_view checkpoint = "weft.checkpoint";

// A composite's entry in the table, which is looked up by name.
struct Composite {
  std::string_view name;
  GradientRule gradient;
  // Whether all operands may have further leading dimensions, as attention has, instead of the first one alone.
  bool all_lead = false;
  // Whether the gradient takes the cotangents of all results, instead of that of the first one alone.
  bool of_all_results = false;
};
const Composite* find_composite(std::string_view name);

}  // namespace weft::ir
