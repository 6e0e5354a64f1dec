// The reference interpreter. It follows the StableHLO specification node by node; where the specification leaves freedom, it does
// what XLA does. It is slow and simple, and every other way to run a graph is tested against it.
//
// Every floating-point operation is computed in double and rounded once to the dtype of its result. Sums and products that
// accumulate (dot_general, convolution, and reductions and scatters whose body is a single add or multiply) do so in row-major
// order of the operand, as Accumulation says. Other bodies are applied in their own dtype, in the same order. Integers are exact
// and wrap. Prims behave as scalar.h says; maximum and minimum order -0 before +0.
//
// Deterministic; thread-safe for a finished graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::ir {

enum class Accumulation : std::uint8_t {
  wide,  // in double, rounded once at the end; weft's own results are compared with this
  // in the dtype of the result, rounded after every step, as StableHLO's reference interpreter does and its test
  // programs expect; contractions of 16-bit floats in f32, as XLA does (the reference is known to be inaccurate there)
  element,
};

struct InterpretOptions {
  Accumulation accumulation = Accumulation::wide;
  const void* host_context = nullptr;  // passed on to host functions
};

// Returns the outputs of `graph` for these inputs. Throws Error if the inputs do not match the graph's inputs in number or type,
// or if a type of the graph is not static.
std::vector<Array> interpret(const Graph& graph, std::span<const Array> inputs, const InterpretOptions& options = {});

// Returns the results of one node, which must not be a parameter.
std::vector<Array> interpret_node(const Node& node, std::span<const Array> operands);

}  // namespace weft::ir
