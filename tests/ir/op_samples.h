// Calls of every op of the table, for the tests that loop over it: values against the interpreter, gradients against central
// differences, text round trips. Zero-size, rank-0 and size-1 operands are among them, and every dtype of an op's domain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::ir {

// What may stand in one input of a sample: numbers in [low, high].
struct InputRange {
  double low = -4, high = 4;
  bool distinct = false;  // no number twice; of integers
  bool edges = false;     // the op has a meaning for every element of the dtype, outside of the range too
};

struct OpSample {
  std::string name;                    // add tensor<2x3xf32>, tensor<2x3xf32>
  std::shared_ptr<const Graph> graph;  // with one node of the op
  std::vector<InputRange> inputs;      // one per input
  // Inputs whose gradient can be compared with differences of the interpreter's results, how often in a row, and with what step.
  std::vector<int> wrt;
  int order = 2;
  double step = 1e-5;
};

// The dtypes of a set, in their order.
std::vector<DType> members(DTypes set);

// The sample's node of the op, which may be one of a region.
const Node* find_node(const Graph& graph, const Op& op);

// Samples of one op; none if the op is new and nobody has written any.
std::vector<OpSample> samples(const Op& op);

// Whether the op has a meaning for operands and results without dimensions.
bool takes_rank_zero(const Op& op);

// Inputs in the ranges of a sample, the same for the same seed.
std::vector<Array> random_inputs(const OpSample& sample, std::uint64_t seed = 0);

// The same with most elements of inputs that allow it replaced by NaN, infinities, zeros of both signs, subnormal and largest
// floats, and integers at and around both ends, 0 and the width.
std::vector<Array> edge_inputs(const OpSample& sample, std::uint64_t seed = 0);

// Collects the samples of one op.
class SampleList {
 public:
  using Build = std::function<std::vector<Value>(Graph&, std::span<const Value>)>;

  explicit SampleList(const Op& op) : op_(op) {}

  // The node that `build` appends, on inputs of the given types. Ranges follow from op and dtypes, and may be changed; wrt holds the
  // f64 inputs if the op has a gradient.
  OpSample& add(std::vector<Type> inputs, const Build& build);
  // The op without attributes.
  OpSample& add(std::vector<Type> inputs);

  const Op& op() const { return op_; }
  std::vector<OpSample>& all() { return samples_; }
  std::vector<OpSample> take() { return std::move(samples_); }

 private:
  const Op& op_;
  std::vector<OpSample> samples_;
};

// Who adds the samples of an op.
struct SampleEntry {
  const Op* op;
  void (*add)(SampleList& list);
  int least_rank = 0;  // of its first operand, or of its result
};
inline constexpr int needs_a_dimension = 1;

// By family, in the files of these names.
extern const std::span<const SampleEntry> collective_samples, contraction_samples, control_samples, indexing_samples,
    linalg_samples, reduction_samples, shape_samples;
void elementwise_samples(SampleList& list);

inline std::vector<Value> all_results(Node& node) {
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

}  // namespace weft::ir
