// An Op is one kind of operation, declared once as a constant (ops/*.h) with everything that weft must know about it. Passes and
// lowering use its kind and its other properties, not its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/scalar.h>

namespace weft::ir {

class Array;
namespace interpreter {
struct NodeCall;
}

enum class Kind : std::uint8_t {
  elementwise,  // result[i] = scalar(operands[i]...)
  shape,        // moves elements: broadcast, reshape, transpose, slice, pad, concatenate, reverse
  reduction,    // reduce, reduce_window
  contraction,  // dot_general, convolution
  indexing,     // positions are data: gather, scatter, dynamic slices, sort
  control,      // regions decide: while, if, case, composite
  source,       // no operands: parameter, constant, iota
  collective,   // processes meet: all_reduce, send, partition_id
  opaque,       // one kernel of its own: rng_bit_generator, custom_call, optimization_barrier
};

// What processes of a group exchange.
enum class Collective : std::uint8_t {
  none,
  process_id,  // nothing: a process only learns which one it is
  all_gather,
  all_reduce,
  all_to_all,
  reduce_scatter,
  broadcast,
  permute,
  reduce,
};

// A set of dtypes.
using DTypes = std::uint16_t;
constexpr DTypes dtypes(std::initializer_list<DType> list) {
  DTypes set = 0;
  for (const DType t : list) set |= static_cast<DTypes>(1u << static_cast<int>(t));
  return set;
}
constexpr bool contains(DTypes set, DType t) { return (set >> static_cast<int>(rule_dtype(t))) & 1; }
inline constexpr DTypes floats = dtypes({DType::f16, DType::bf16, DType::f32, DType::f64});
inline constexpr DTypes signed_integers = dtypes({DType::i8, DType::i16, DType::i32, DType::i64});
inline constexpr DTypes unsigned_integers = dtypes({DType::u8, DType::u16, DType::u32, DType::u64});
inline constexpr DTypes integers = signed_integers | unsigned_integers;
inline constexpr DTypes booleans = dtypes({DType::boolean});
inline constexpr DTypes all_dtypes = floats | integers | booleans;

// A node that is about to be appended, as a type rule sees it.
struct Call {
  const Op& op;
  std::span<const Value> operands;
  const void* attribute_data;
  std::span<const Type> requested;  // result types given by the caller; empty if the rule infers them
  std::span<const std::shared_ptr<const Graph>> regions;

  Type type(int i) const { return operands[i].type(); }
  template <class A>
  const A& attributes() const {
    return *static_cast<const A*>(attribute_data);
  }
  // Throws Error: "<op>: <parts...> (operands: <types>)".
  template <class... Parts>
  void require(bool condition, const Parts&... parts) const {
    if (!condition) [[unlikely]]
      fail(concat(parts...));
  }
  [[noreturn]] void fail(const std::string& message) const;
  Type requested_type() const;  // the single result type, which the caller must have given
};

// The cotangent of the elements from `start` on along one dimension of an operand, of which it has all elements along the others.
struct CotangentSlice {
  int operand;
  Value cotangent;
  int dim;
  std::int64_t start;
};

// A node to differentiate. Result i has cotangent `cotangents[i]`; an empty value means zero. A rule calls `add` for each operand
// on which the node depends differentiably. Rules use the functions of builder.h, so gradients can be differentiated again.
struct GradientCall {
  Node& node;
  std::span<const Value> cotangents;
  std::vector<Value>& operand_cotangents;  // one per operand
  std::span<const std::uint8_t> needed;    // one per operand: 0 if its cotangent is not needed
  std::vector<CotangentSlice>& slices;     // of operands

  Value x(int i = 0) const { return node.operand(i); }
  Value y(std::uint32_t i = 0) const { return {&node, i}; }
  Value dy(int i = 0) const { return cotangents[i]; }
  bool needs(int operand) const { return needed[operand] != 0; }  // lets a rule skip cotangents that nobody uses
  void add(int operand, Value cotangent) const;
  // Adds the cotangent of some elements of an operand.
  void add(const CotangentSlice& slice) const { slices.push_back(slice); }
};

struct ScalarCall {
  std::span<const Scalar> operands;
  DType result;  // dtype of the result
  const void* attribute_data;

  Scalar operator[](int i) const { return operands[i]; }
  template <class A>
  const A& attributes() const {
    return *static_cast<const A*>(attribute_data);
  }
};

using TypeRule = void (*)(const Call& call, std::vector<Type>& results);
using GradientRule = void (*)(const GradientCall& call);
using ScalarRule = Scalar (*)(ScalarBuilder& builder, const ScalarCall& call);
// Returns the results of a node, as the interpreter computes them (interpreter/rules.h).
using InterpretRule = std::vector<Array>(const interpreter::NodeCall& call);

// Splits the computation of a node into independent parts, such as the matrices of a batch or the lanes of a dimension. The
// interpreter computes the parts one after the other, compiled programs on all threads.
struct Parts {
  std::int64_t count = 0;
  std::int64_t work = 1;  // approximate number of operations per part
  int in_place = -1;      // the operand whose memory result 0 may reuse; -1 if none
  // Computes the parts [begin, end). Operands and results are whole, in row-major order.
  std::function<void(std::int64_t begin, std::int64_t end, std::span<const std::byte* const> operands,
                     std::span<std::byte* const> results)>
      compute;
};
using PartsRule = Parts (*)(const Node& node);  // the result may outlive the node
// Returns the values that replace a collective in a single-process program. Throws UnsupportedError if the program needs several
// processes.
using SingleProcessRule = std::vector<Value> (*)(Graph& graph, const Node& node, std::span<const Value> operands);

// Fills in the letters that relate the dimensions of a node's operands and results (factors.h).
struct Factors;
using FactorRule = void (*)(const Node& node, Factors& factors);

// Whether a node's results are linear functions of an operand: f(a) + f(b) = f(a + b). Sums that are still split into parts pass through
// linear operands (docs/design/meshes.md).
enum class Linearity : std::uint8_t {
  none,
  alone,     // linear in this operand while the others are fixed: multiply
  together,  // linear in all such operands together: add; alone, too, where the others are zero
};
using LinearityRule = Linearity (*)(const Node& node, int operand);

// Returns the results of a node for one device of a mesh, where the attributes depend on the shard (localize.h).
struct LocalCall;
using LocalRule = std::vector<Value> (*)(const LocalCall& call);  // returns the results

// Appends the nodes that compute a node for a batch of operands at once (batch.h).
struct Batched;
struct BatchCall;
using BatchRule = std::vector<Batched> (*)(const BatchCall& call);  // returns the results

inline constexpr int variadic = -1;

// The right operand that makes a binary op return its left operand (and the reverse, if the op is commutative).
enum class Identity : std::uint8_t { none, zero, one, all_bits, lowest, highest };

// How an op passes on values, other than by computing new ones.
enum class Flow : std::uint8_t {
  none,      // it computes; regions, if any, are bodies that are applied to elements
  barrier,   // returns its operands, none of which is available before all of them are
  call,      // runs its one region: composite
  branches,  // operand 0 chooses the region that runs on the other operands
  loop,      // a condition and a body, which run on the operands and then on the results of the body
};

struct Op {
  std::string_view name;  // StableHLO's name, without the dialect
  Kind kind;
  int arity;  // number of operands; variadic: any number
  TypeRule types;
  GradientRule gradient;  // not_differentiable if there is none
  // How results are computed; an op has exactly one of these three:
  ScalarRule scalar = nullptr;         // of elementwise ops
  PartsRule parts = nullptr;           // serves the interpreter and compiled programs
  InterpretRule* interpret = nullptr;  // serves the interpreter; the compiler handles the op on its own
  DTypes domain = all_dtypes;          // of the operands (except indices and predicates)
  double low = -4, high = 4;           // the range from which floating-point test inputs are drawn
  const AttributeSchema* attributes = nullptr;
  int regions = 0;  // number of regions; variadic: any number
  Flow flow = Flow::none;
  FactorRule factors =
      nullptr;  // null for elementwise ops, which are pointwise, and for ops that run regions or are collectives
  LinearityRule linear = nullptr;  // null if no result is linear in any operand
  LocalRule local = nullptr;       // null if the local node is the node with smaller sizes
  // null for elementwise ops, which take a batch as any other dimension, and for what has no operands or cannot be batched
  BatchRule batch = nullptr;
  bool commutative = false;
  Identity identity = Identity::none;
  bool involution = false;    // applying it twice with equal attributes returns the operand
  bool duplicable = true;     // computing it twice is the same as computing it once
  bool takes_tokens = false;  // as operands or results
  // must run, in program order, even if its results are unused; see has_side_effect below
  bool has_side_effect = false;
  bool interpreted = false;                    // only the interpreter runs it
  SingleProcessRule single_process = nullptr;  // for collectives that are not only interpreted
  Collective collective = Collective::none;    // the same
  std::string_view dialect = "stablehlo";      // or chlo, sdy...
  std::string_view call_target = {};           // for ops that StableHLO writes as a custom_call: weft.stop_gradient
  std::string_view hlo_opcode = {};            // if it is not `name` with - for _

  // Returns whether attributes hold sizes (attributes.h). If such a size is an expression, the result types must be given.
  bool has_sizes() const { return attributes && attributes->has_sizes; }
};

// Infers the result types of a node that is about to be appended, by its op's rule. In a graph for many sizes, rules that need
// numbers are not called: an op whose attributes hold sizes gets the requested types, which are checked once the sizes are known.
void infer_types(const Call& call, std::vector<Type>& results);

template <class A>
const A* Node::attributes_if() const {
  return op->attributes == schema<A> ? &attributes<A>() : nullptr;
}

// Returns whether a node must run even if its results are unused: because of its op, of a custom_call's own attribute, or of a
// node in its regions.
bool has_side_effect(const Node& node);

// A gradient rule for ops whose results pass no gradient to any operand (comparisons, integers, sort order...).
void zero_gradient(const GradientCall& call);
// A gradient rule that throws Error: the op has no gradient.
[[noreturn]] void not_differentiable(const GradientCall& call);

// Factor rules of nodes whose operands and results have one shape (operands of rank 0 have no letters), and of nodes that cannot be split.
void pointwise_factors(const Node& node, Factors& factors);
void no_factors(const Node& node, Factors& factors);
// Linearity rules of nodes that are linear in each operand alone, or in all of them together.
inline Linearity linear_in_each(const Node&, int) { return Linearity::alone; }
inline Linearity linear_together(const Node&, int) { return Linearity::together; }

// Batching rules of ops that take a batch in any leading dimensions, and of nodes that are computed for one example after the other.
std::vector<Batched> batch_leading(const BatchCall& call);
std::vector<Batched> batch_by_loop(const BatchCall& call);

// all_ops is sorted by name. find_op takes StableHLO's name and returns nullptr if there is no such op.
std::span<const Op* const> all_ops();
const Op* find_op(std::string_view name);
const Op* find_call(std::string_view target);  // by call_target

}  // namespace weft::ir
