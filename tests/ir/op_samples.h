// Sample calls of every op of the table, for tests that loop over them: values against the interpreter, gradients against central
// differences, text round trips. They include zero-size, rank-0 and size-1 operands, and every dtype of an op's domain.
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

// The numbers that one input of a sample may contain: [low, high].
struct InputRange {
  double low = -4, high = 4;
  bool distinct = false;  // integers only: no number occurs twice
  bool edges = false;     // the op is defined for every element of the dtype, also outside of the range
};

struct OpSample {
  std::string name;                    // for example "add tensor<2x3xf32>, tensor<2x3xf32>"
  std::shared_ptr<const Graph> graph;  // has one node of the op
  std::vector<InputRange> inputs;      // one per input
  // The inputs whose gradients can be compared with differences of the interpreter's results, up to which order of derivative,
  // and the step of the differences.
  std::vector<int> wrt;
  int order = 2;
  double step = 1e-5;
};

// Returns the dtypes of a set, in order.
std::vector<DType> members(DTypes set);

// Returns the sample's node of the op, which may be in a region.
const Node* find_node(const Graph& graph, const Op& op);

// Returns the samples of one op; empty if the op is new and has none yet.
std::vector<OpSample> samples(const Op& op);

// Returns whether the op accepts operands and results of rank 0.
bool takes_rank_zero(const Op& op);

// Returns inputs in the ranges of a sample; the same seed gives the same inputs.
std::vector<Array> random_inputs(const OpSample& sample, std::uint64_t seed = 0);

// Like random_inputs, but in inputs that allow it, most elements are replaced: floats by NaN, infinities, zeros of both signs,
// subnormals and the largest numbers; integers by numbers at and around both ends, 0 and the width.
std::vector<Array> edge_inputs(const OpSample& sample, std::uint64_t seed = 0);

// Collects the samples of one op.
class SampleList {
 public:
  using Build = std::function<std::vector<Value>(Graph&, std::span<const Value>)>;

  explicit SampleList(const Op& op) : op_(op) {}

  // Adds a sample of the node that `build` appends, on inputs of the given types. Ranges follow from the op and the dtypes and
  // may be changed; wrt contains the f64 inputs if the op has a gradient.
  OpSample& add(std::vector<Type> inputs, const Build& build);
  // Adds a sample of the op without attributes.
  OpSample& add(std::vector<Type> inputs);

  const Op& op() const { return op_; }
  std::vector<OpSample>& all() { return samples_; }
  std::vector<OpSample> take() { return std::move(samples_); }

 private:
  const Op& op_;
  std::vector<OpSample> samples_;
};

// Adds the samples of an op.
struct SampleEntry {
  const Op* op;
  void (*add)(SampleList& list);
  int least_rank = 0;  // rank of its first operand, or of its result
};
inline constexpr int needs_a_dimension = 1;

// The entries by family; they are in the files of these names.
extern const std::span<const SampleEntry> collective_samples, contraction_samples, control_samples, embedding_samples,
    indexing_samples, linalg_samples, reduction_samples, shape_samples;
void elementwise_samples(SampleList& list);

inline std::vector<Value> all_results(Node& node) {
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

}  // namespace weft::ir
