// An Op is one kind of operation, declared once as a constant (ops/*.h): everything weft must know of it. Passes and lowering go by
// its kind and by what else it declares, not by its name.
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

// A node about to be made: what a type rule sees.
struct Call {
  const Op& op;
  std::span<const Value> operands;
  const void* attribute_data;
  std::span<const Type> requested;  // result types given by the caller; empty where the rule infers them
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
  Type requested_type() const;  // the one result type, which must have been given
};

// A node to differentiate: result i has cotangent `cotangents[i]` (no value: zero). A rule calls `add` for each operand
// that depends on it differentiably. Rules build with the functions of builder.h, so gradients can be differentiated again.
struct GradientCall {
  Node& node;
  std::span<const Value> cotangents;
  std::vector<Value>& operand_cotangents;  // one per operand
  std::span<const std::uint8_t> needed;    // one per operand: 0 where nobody asks for its cotangent

  Value x(int i = 0) const { return node.operand(i); }
  Value y(int i = 0) const { return {&node, static_cast<std::uint32_t>(i)}; }
  Value dy(int i = 0) const { return cotangents[i]; }
  bool needs(int operand) const { return needed[operand] != 0; }  // spares the work of unused ones
  void add(int operand, Value cotangent) const;
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
// The results of a node, as the interpreter computes them (interpreter/rules.h).
using InterpretRule = std::vector<Array>(const interpreter::NodeCall& call);

// The results of a node as parts of which none depends on another: the matrices of a batch, the lanes of a dimension. The interpreter
// computes them one after the other, compiled programs on all threads.
struct Parts {
  std::int64_t count = 0;
  std::int64_t work = 1;  // how many operations a part takes, about
  int in_place = -1;      // the operand in whose bytes result 0 may lie; -1: none
  // Computes the parts [begin, end). Operands and results are whole, in row-major order.
  std::function<void(std::int64_t begin, std::int64_t end, std::span<const std::byte* const> operands,
                     std::span<std::byte* const> results)>
      compute;
};
using PartsRule = Parts (*)(const Node& node);  // what it gives may outlive the node
// What stands for a collective in a program that runs as one process. Throws UnsupportedError if it is for several.
using SingleProcessRule = std::vector<Value> (*)(Graph& graph, const Node& node, std::span<const Value> operands);

inline constexpr int variadic = -1;

// The right operand that makes the result of a binary op its left operand, and the left one as well where the op is commutative.
enum class Identity : std::uint8_t { none, zero, one, all_bits, lowest, highest };

// How values pass through an op, if not by its computing others.
enum class Flow : std::uint8_t {
  none,      // it computes; its regions, if any, are bodies that are applied to elements
  barrier,   // the results are the operands, none of which is available before all are
  call,      // one region, which is run: composite
  branches,  // operand 0 chooses the region that is run on the others
  loop,      // a condition and a body, run on the operands and then on what the body gives
};

struct Op {
  std::string_view name;  // StableHLO's, without the dialect
  Kind kind;
  int arity;  // operands; variadic: any number
  TypeRule types;
  GradientRule gradient;  // not_differentiable where there is none
  // How results are computed, one of the three:
  ScalarRule scalar = nullptr;         // of elementwise ops
  PartsRule parts = nullptr;           // serves the interpreter and compiled programs
  InterpretRule* interpret = nullptr;  // serves the interpreter; the compiler has its own ways
  DTypes domain = all_dtypes;          // of the operands (operands that must be indices or predicates aside)
  double low = -4, high = 4;           // test inputs of floating-point dtype are drawn from here
  const AttributeSchema* attributes = nullptr;
  int regions = 0;  // number of regions; variadic: any number
  Flow flow = Flow::none;
  bool commutative = false;
  Identity identity = Identity::none;
  bool involution = false;       // applied twice with equal attributes, it gives its operand
  bool duplicable = true;        // computing it twice is the same as once
  bool takes_tokens = false;     // as operands or results
  bool has_side_effect = false;  // must run, in the program's order, whether its results are used or not; see below
  bool interpreted = false;      // only the interpreter runs it
  SingleProcessRule single_process = nullptr;  // of collectives that are not only interpreted
  std::string_view dialect = "stablehlo";      // or chlo, sdy...
  std::string_view call_target = {};           // of what StableHLO knows as a custom_call alone: weft.stop_gradient
  std::string_view hlo_opcode = {};            // where it is not `name` with - for _

  // Whether attributes hold sizes (attributes.h). Where one is an expression the result types must be given.
  bool has_sizes() const { return attributes && attributes->has_sizes; }
};

// The result types of a node about to be made, by its op's rule. In a graph for many sizes a rule that needs numbers is not asked:
// what is requested of an op whose attributes hold sizes is what it is given, and checked when the sizes are known.
void infer_types(const Call& call, std::vector<Type>& results);

template <class A>
const A* Node::attributes_if() const {
  return op->attributes == schema<A> ? &attributes<A>() : nullptr;
}

// Whether a node must run whoever uses its results: by its op, by what a custom_call says of itself, or by a node of its regions.
bool has_side_effect(const Node& node);

// A gradient rule for ops whose result carries no gradient to any operand (comparisons, integers, sort order...).
void zero_gradient(const GradientCall& call);
// A gradient rule that throws Error: the op has no gradient.
[[noreturn]] void not_differentiable(const GradientCall& call);

// All ops, sorted by name; and by StableHLO's name, nullptr if there is none.
std::span<const Op* const> all_ops();
const Op* find_op(std::string_view name);
const Op* find_call(std::string_view target);  // by call_target

}  // namespace weft::ir
