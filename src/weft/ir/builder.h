// Functions that append one node each and return its value. Gradients, composites and passes are written with them. Each function
// is named after its StableHLO op and appends to the graph of its operands, at that graph's current location. Types must match
// exactly as StableHLO requires: implicit broadcasting and conversion belong to the tensor layer. A mismatch throws Error. Names
// that C++ reserves have a trailing underscore.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/scalar.h>

namespace weft::ir {

// Sources
Value constant(Graph& graph, Type type, double value);  // splat; integers up to 2^53
Value constant(Graph& graph, const Literal& literal);
Value iota(Graph& graph, Type type, std::int64_t dimension);
Value constant_like(Value model, double value);  // has the type of `model`

// Elementwise, one operand
Value abs(Value x);
Value cbrt(Value x);
Value ceil(Value x);
Value cosine(Value x);
Value count_leading_zeros(Value x);
Value erf(Value x);  // chlo
Value exponential(Value x);
Value exponential_minus_one(Value x);
Value floor(Value x);
Value is_finite(Value x);
Value log(Value x);
Value log_plus_one(Value x);
Value logistic(Value x);
Value negate(Value x);
Value not_(Value x);
Value popcnt(Value x);
Value round_nearest_afz(Value x);
Value round_nearest_even(Value x);
Value rsqrt(Value x);
Value sign(Value x);
Value sine(Value x);
Value sqrt(Value x);
// Return x. sharding_constraint says how x is sharded from here on, reshard moves x to that sharding. `sharding` is the text of
// an sdy.sharding: #sdy.sharding<@mesh, [{"x"}, {}]>.
Value sharding_constraint(Value x, std::string_view sharding);
Value reshard(Value x, std::string_view sharding);
Value stop_gradient(Value x);  // x, but no gradient passes through it; weft's own op
Value tan(Value x);
Value tanh(Value x);
Value convert(Value x, DType dtype);  // x itself if it already has that dtype
Value bitcast_convert(Value x, Type type);
Value reduce_precision(Value x, int exponent_bits, int mantissa_bits);

// Elementwise, two or more operands
Value add(Value a, Value b);
Value and_(Value a, Value b);
Value atan2(Value a, Value b);
Value compare(Value a, Value b, Direction direction, Comparison type = Comparison::NOTYPE);
Value divide(Value a, Value b);
Value maximum(Value a, Value b);
Value minimum(Value a, Value b);
Value multiply(Value a, Value b);
Value or_(Value a, Value b);
Value power(Value a, Value b);
Value remainder(Value a, Value b);
Value shift_left(Value a, Value b);
Value shift_right_arithmetic(Value a, Value b);
Value shift_right_logical(Value a, Value b);
Value subtract(Value a, Value b);
Value xor_(Value a, Value b);
Value select(Value predicate, Value on_true, Value on_false);  // the predicate may be rank 0
Value clamp(Value low, Value x, Value high);                   // the bounds may be rank 0

// Shape. A broadcast, reshape or transpose that changes nothing returns x itself.
Value broadcast_in_dim(Value x, Type type, Ints dimensions);
// of a rank-0 value, or as in NumPy: trailing dimensions are aligned, and size 1 is broadcast
Value broadcast(Value x, Type type);
Value reshape(Value x, std::span<const Dim> dims);
Value reshape(Value x, std::initializer_list<Dim> dims);
Value transpose(Value x, Ints permutation);
Value slice(Value x, Ints start, Ints limit, Ints strides);
Value pad(Value x, Value value, Ints low, Ints high, Ints interior);
Value concatenate(std::span<const Value> parts, std::int64_t dimension);
Value reverse(Value x, Ints dimensions);

// Reductions. The body of a reduction is a graph with two rank-0 inputs. All bodies of the same op and dtype are one shared
// graph, so they can be compared by address.
std::shared_ptr<const Graph> reduction_body(const Op& op, DType dtype);  // op: add, maximum, ..., ops::and_
// Returns the shared body that compares two rank-0 inputs, for sort with one operand and for select_and_scatter.
std::shared_ptr<const Graph> comparison_body(Direction direction, DType dtype, Comparison type = Comparison::NOTYPE);
const Op* reduction_op(const Graph& body);  // the op if the body is just that op, otherwise nullptr
std::vector<Value> reduce(std::span<const Value> xs, std::span<const Value> inits, Ints dimensions,
                          std::shared_ptr<const Graph> body);
Value reduce_sum(Value x, Ints dimensions);
Value reduce_max(Value x, Ints dimensions);  // without elements: -inf or the smallest integer
Value reduce_min(Value x, Ints dimensions);
Value reduce_product(Value x, Ints dimensions);
Value reduce_window(Value x, Value init, const ReduceWindowAttributes& window, std::shared_ptr<const Graph> body);
std::vector<Value> reduce_window(std::span<const Value> xs, std::span<const Value> inits,
                                 const ReduceWindowAttributes& window, std::shared_ptr<const Graph> body);
Value select_and_scatter(Value x, Value source, Value init, const SelectAndScatterAttributes& window,
                         std::shared_ptr<const Graph> select, std::shared_ptr<const Graph> scatter);

// Contractions
Value dot_general(Value lhs, Value rhs, const DotAttributes& dimensions, DType result);
Value dot_general(Value lhs, Value rhs, const DotAttributes& dimensions);  // the result has the operands' dtype
Value convolution(Value x, Value kernel, const ConvolutionAttributes& attributes);

// Indexing
Value gather(Value x, Value indices, const GatherAttributes& attributes);
Value scatter(Value x, Value indices, Value updates, const ScatterAttributes& attributes,
              std::shared_ptr<const Graph> body);
std::vector<Value> scatter(std::span<const Value> xs, Value indices, std::span<const Value> updates,
                           const ScatterAttributes& attributes, std::shared_ptr<const Graph> body);
Value dynamic_slice(Value x, std::span<const Value> starts, Ints sizes);
Value dynamic_update_slice(Value x, Value update, std::span<const Value> starts);
std::vector<Value> sort(std::span<const Value> xs, std::int64_t dimension, bool is_stable,
                        std::shared_ptr<const Graph> comparator);

// Control. Regions are closed graphs: every value that they use is one of their inputs. For if and case, `captures` are the
// inputs of every branch.
std::vector<Value> while_(std::span<const Value> inits, std::shared_ptr<const Graph> condition,
                          std::shared_ptr<const Graph> body);
std::vector<Value> if_(Value predicate, std::span<const Value> captures, std::shared_ptr<const Graph> on_true,
                       std::shared_ptr<const Graph> on_false);
std::vector<Value> case_(Value index, std::span<const Value> captures,
                         std::span<const std::shared_ptr<const Graph>> branches);
std::vector<Value> composite(std::string_view name, std::span<const Value> operands,
                             std::shared_ptr<const Graph> decomposition);

// Other
// returns the new state and the bits
std::vector<Value> rng_bit_generator(Value state, Type type, RngAlgorithm algorithm);
std::vector<Value> optimization_barrier(std::span<const Value> xs);

// Appends copies of the nodes of `from` on which its outputs depend or that have a side effect, with `inputs` in place of its
// inputs, and returns the values of its outputs. The copies get the current location of `into`; `inputs` are values of `into`.
std::vector<Value> inline_graph(Graph& into, const Graph& from, std::span<const Value> inputs);

// As inline_graph, for gradients, which compute again what has run before: side effects that no output needs are not repeated.
std::vector<Value> compute_again(Graph& into, const Graph& from, std::span<const Value> inputs);

// Builds a graph by calling `body` with inputs of the given types; the values that `body` returns become the outputs.
std::shared_ptr<const Graph> make_graph(std::span<const Type> inputs,
                                        const std::function<std::vector<Value>(Graph&, std::span<const Value>)>& body);

// Operators for gradients and composites.
inline Value operator+(Value a, Value b) { return add(a, b); }
inline Value operator-(Value a, Value b) { return subtract(a, b); }
inline Value operator*(Value a, Value b) { return multiply(a, b); }
inline Value operator/(Value a, Value b) { return divide(a, b); }
inline Value operator-(Value x) { return negate(x); }
inline Value operator*(Value a, double b) { return multiply(a, constant_like(a, b)); }
inline Value operator+(Value a, double b) { return add(a, constant_like(a, b)); }

}  // namespace weft::ir
