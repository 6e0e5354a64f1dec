// Rules that propagate bounds, by kind of op. Only the implementation files of these rules include this header.
#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include <weft/fuzz/bounded.h>
#include <weft/ir/op.h>

namespace weft::fuzz {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A node to evaluate: its operands, and the results that the interpreter computed from their values.
struct BoundedCall {
  const ir::Node& node;
  std::span<const Bounded* const> operands;
  std::vector<ir::Array>& results;
  const Arithmetic& arithmetic;

  const Bounded& operator[](std::size_t i) const { return *operands[i]; }
  bool all_exact() const;
};

// Returns one bound for each result. These are the rules of kinds:
using BoundRule = std::vector<ir::Array> (*)(const BoundedCall& call);
std::vector<ir::Array> elementwise_bounds(const BoundedCall& call);
std::vector<ir::Array> shape_bounds(const BoundedCall& call);
std::vector<ir::Array> reduction_bounds(const BoundedCall& call);
std::vector<ir::Array> contraction_bounds(const BoundedCall& call);
std::vector<ir::Array> indexing_bounds(const BoundedCall& call);
// These are the rules of ops that differ from their kind; the entries of the ops name them (grower.h):
std::vector<ir::Array> same_operands_bounds(const BoundedCall& call);  // results are the operands
std::vector<ir::Array> scatter_bounds(const BoundedCall& call);
std::vector<ir::Array> select_and_scatter_bounds(const BoundedCall& call);
std::vector<ir::Array> sort_bounds(const BoundedCall& call);
std::vector<ir::Array> update_bounds(const BoundedCall& call);

// Evaluates a control node and returns its results with their bounds.
std::vector<Bounded> evaluate_control(const ir::Node& node, std::span<const Bounded* const> operands,
                                      const Arithmetic& arithmetic);
// Evaluates a graph and returns its outputs with their bounds.
std::vector<Bounded> run_bounded(const ir::Graph& graph, std::span<const Bounded* const> inputs,
                                 const Arithmetic& arithmetic);

// Returns the same bound for all elements of all results.
std::vector<ir::Array> same_bounds(const BoundedCall& call, double bound);
// Exact if all operands are exact; otherwise nothing is known.
std::vector<ir::Array> all_or_nothing(const BoundedCall& call);

// Returns an f64 array of f(i) for each element.
ir::Array doubles(Type shape, const std::function<double(std::int64_t)>& f);
inline std::span<const double> values_of(const ir::Array& array) { return array.data<double>(); }
// Return the elements, or their magnitudes, as f64.
ir::Array as_doubles(const ir::Array& array);
ir::Array magnitudes(const ir::Array& array);

// Evaluates the node's op on other operands, which are f64 if those of the node have another dtype, and with another body if one
// is given.
ir::Array evaluate_as_doubles(const ir::Node& node, std::span<const ir::Array> operands,
                              std::shared_ptr<const ir::Graph> body = nullptr);

// Returns the distance to the next number of this dtype around x; 0 for infinities and NaN.
double ulp(double x, DType dtype);
double epsilon(DType dtype);  // the ulp of 1
double largest_finite(DType dtype);
// The epsilon of accumulation: reductions and products of 16-bit floats accumulate in f32, unless in parts; scatter applies its body in the
// body's dtype.
double accumulation_epsilon(DType dtype, const Arithmetic& arithmetic);

}  // namespace weft::fuzz
