// How bounds pass through the kinds of ops. Included by their implementation files only.
#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include <weft/fuzz/bounded.h>
#include <weft/ir/op.h>

namespace weft::fuzz {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A node to evaluate: its operands, and its results, which the interpreter computed from their values.
struct BoundedCall {
  const ir::Node& node;
  std::span<const Bounded* const> operands;
  std::vector<ir::Array>& results;
  const Arithmetic& arithmetic;

  const Bounded& operator[](std::size_t i) const { return *operands[i]; }
  bool all_exact() const;
};

// One bound for each result. Those of kinds:
using BoundRule = std::vector<ir::Array> (*)(const BoundedCall& call);
std::vector<ir::Array> elementwise_bounds(const BoundedCall& call);
std::vector<ir::Array> shape_bounds(const BoundedCall& call);
std::vector<ir::Array> reduction_bounds(const BoundedCall& call);
std::vector<ir::Array> contraction_bounds(const BoundedCall& call);
std::vector<ir::Array> indexing_bounds(const BoundedCall& call);
// Those of ops that are unlike their kind, which their entries name (grower.h):
std::vector<ir::Array> same_operands_bounds(const BoundedCall& call);  // results are the operands
std::vector<ir::Array> scatter_bounds(const BoundedCall& call);
std::vector<ir::Array> select_and_scatter_bounds(const BoundedCall& call);
std::vector<ir::Array> sort_bounds(const BoundedCall& call);
std::vector<ir::Array> update_bounds(const BoundedCall& call);

// Evaluates a control node, whose results come with their bounds.
std::vector<Bounded> evaluate_control(const ir::Node& node, std::span<const Bounded* const> operands,
                                      const Arithmetic& arithmetic);
// One run of a graph.
std::vector<Bounded> run_bounded(const ir::Graph& graph, std::span<const Bounded* const> inputs,
                                 const Arithmetic& arithmetic);

// All bounds of the results alike.
std::vector<ir::Array> same_bounds(const BoundedCall& call, double bound);
// Exact if all operands are; else nothing is known.
std::vector<ir::Array> all_or_nothing(const BoundedCall& call);

// f(i) for each element, as f64.
ir::Array doubles(Type shape, const std::function<double(std::int64_t)>& f);
inline std::span<const double> values_of(const ir::Array& array) { return array.data<double>(); }
// The elements as f64, or their magnitudes.
ir::Array as_doubles(const ir::Array& array);
ir::Array magnitudes(const ir::Array& array);

// The node's op on other operands, of f64 where the node's are of another dtype, with another body if one is given.
ir::Array evaluate_as_doubles(const ir::Node& node, std::span<const ir::Array> operands,
                              std::shared_ptr<const ir::Graph> body = nullptr);

// Distance to the next number of this dtype around x; 0 for infinities and NaN.
double ulp(double x, DType dtype);
double epsilon(DType dtype);  // of 1
double largest_finite(DType dtype);
// Reductions and products of 16-bit floats add up in f32; scatters apply their body in its own dtype.
double accumulation_epsilon(DType dtype);

}  // namespace weft::fuzz
