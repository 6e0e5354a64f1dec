// Calls of every op of the table, for the tests that loop over it: values against the interpreter, gradients against central
// differences, text round trips. Zero-size, rank-0 and size-1 operands are among them, and every dtype of an op's domain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

// By family, in the files of these names.
void elementwise_samples(SampleList& list);
void broadcast_in_dim_samples(SampleList& list);
void reshape_samples(SampleList& list);
void transpose_samples(SampleList& list);
void slice_samples(SampleList& list);
void pad_samples(SampleList& list);
void concatenate_samples(SampleList& list);
void reverse_samples(SampleList& list);
void reduce_samples(SampleList& list);
void reduce_window_samples(SampleList& list);
void select_and_scatter_samples(SampleList& list);
void dot_general_samples(SampleList& list);
void convolution_samples(SampleList& list);
void gather_samples(SampleList& list);
void scatter_samples(SampleList& list);
void dynamic_slice_samples(SampleList& list);
void dynamic_update_slice_samples(SampleList& list);
void sort_samples(SampleList& list);
void while_samples(SampleList& list);
void branch_samples(SampleList& list);  // if, case
void composite_samples(SampleList& list);
void source_samples(SampleList& list);
void rng_bit_generator_samples(SampleList& list);
void optimization_barrier_samples(SampleList& list);
void collective_samples(SampleList& list);
void process_id_samples(SampleList& list);
void token_samples(SampleList& list);
void transfer_samples(SampleList& list);
void run_parallel_samples(SampleList& list);
void probe_samples(SampleList& list);
void cholesky_samples(SampleList& list);
void triangular_solve_samples(SampleList& list);
void custom_call_samples(SampleList& list);

inline std::vector<Value> all_results(Node& node) {
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

}  // namespace weft::ir
