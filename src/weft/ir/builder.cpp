#include <weft/ir/builder.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

template <std::size_t N>
Value append(const Op& op, const std::array<Value, N>& operands, const void* attributes = nullptr) {
  return operands[0].graph().append(op, operands, attributes).result();
}

template <std::size_t N>
Value append(const Op& op, const std::array<Value, N>& operands, const void* attributes, Type result) {
  return operands[0].graph().append(op, operands, attributes, std::span(&result, 1)).result();
}

std::vector<Value> results(Node& node) {
  std::vector<Value> values(node.types.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = node.result(i);
  return values;
}

// Returns the graph of the first operand. The op `name` needs at least one operand.
Graph& graph_of(const char* name, std::span<const Value> operands) {
  require(!operands.empty(), name, ": expected at least one operand");
  return operands[0].graph();
}

std::vector<Value> joined(std::span<const Value> first, std::span<const Value> second) {
  std::vector<Value> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

// Sources

Value constant(Graph& graph, Type type, double value) {
  return visit_any(type.dtype(), [&](auto tag) {
    const auto element = static_cast<decltype(tag)>(value);
    const ConstantAttributes attributes{{type, std::as_bytes(std::span(&element, 1))}};
    return graph.append(ops::constant, {}, &attributes).result();
  });
}

Value constant(Graph& graph, const Literal& literal) {
  const ConstantAttributes attributes{literal};
  return graph.append(ops::constant, {}, &attributes).result();
}

Value iota(Graph& graph, Type type, std::int64_t dimension) {
  const IotaAttributes attributes{dimension};
  return graph.append(ops::iota, {}, &attributes, std::span(&type, 1)).result();
}

Value constant_like(Value model, double value) { return constant(model.graph(), model.type(), value); }

// Elementwise

#define WEFT_UNARY(name) \
  Value name(Value x) { return append(ops::name, std::array{x}); }
WEFT_UNARY(abs)
WEFT_UNARY(cbrt)
WEFT_UNARY(ceil)
WEFT_UNARY(cosine)
WEFT_UNARY(count_leading_zeros)
WEFT_UNARY(erf)
WEFT_UNARY(exponential)
WEFT_UNARY(exponential_minus_one)
WEFT_UNARY(floor)
WEFT_UNARY(is_finite)
WEFT_UNARY(log)
WEFT_UNARY(log_plus_one)
WEFT_UNARY(logistic)
WEFT_UNARY(negate)
WEFT_UNARY(not_)
WEFT_UNARY(popcnt)
WEFT_UNARY(round_nearest_afz)
WEFT_UNARY(round_nearest_even)
WEFT_UNARY(rsqrt)
WEFT_UNARY(sign)
WEFT_UNARY(sine)
WEFT_UNARY(sqrt)
WEFT_UNARY(stop_gradient)
WEFT_UNARY(tan)
WEFT_UNARY(tanh)
#undef WEFT_UNARY

#define WEFT_BINARY(name) \
  Value name(Value a, Value b) { return append(ops::name, std::array{a, b}); }
WEFT_BINARY(add)
WEFT_BINARY(and_)
WEFT_BINARY(atan2)
WEFT_BINARY(divide)
WEFT_BINARY(maximum)
WEFT_BINARY(minimum)
WEFT_BINARY(multiply)
WEFT_BINARY(or_)
WEFT_BINARY(power)
WEFT_BINARY(remainder)
WEFT_BINARY(shift_left)
WEFT_BINARY(shift_right_arithmetic)
WEFT_BINARY(shift_right_logical)
WEFT_BINARY(subtract)
WEFT_BINARY(xor_)
#undef WEFT_BINARY

Value convert(Value x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return append(ops::convert, std::array{x}, nullptr, x.type().with(dtype));
}

Value bitcast_convert(Value x, Type type) { return append(ops::bitcast_convert, std::array{x}, nullptr, type); }

Value sharding_constraint(Value x, std::string_view sharding) {
  const ShardingAttributes attributes{sharding};
  return append(ops::sharding_constraint, std::array{x}, &attributes);
}

Value reshard(Value x, std::string_view sharding) {
  const ShardingAttributes attributes{sharding};
  return append(ops::reshard, std::array{x}, &attributes);
}

Value reduce_precision(Value x, int exponent_bits, int mantissa_bits) {
  const ReducePrecisionAttributes attributes{exponent_bits, mantissa_bits};
  return append(ops::reduce_precision, std::array{x}, &attributes);
}

Value compare(Value a, Value b, Direction direction, Comparison type) {
  const CompareAttributes attributes{direction, type};
  return append(ops::compare, std::array{a, b}, &attributes);
}

Value select(Value predicate, Value on_true, Value on_false) {
  return append(ops::select, std::array{predicate, on_true, on_false});
}

Value clamp(Value low, Value x, Value high) { return append(ops::clamp, std::array{low, x, high}); }

// Shape

Value broadcast_in_dim(Value x, Type type, Ints dimensions) {
  const BroadcastAttributes attributes{dimensions};
  return append(ops::broadcast_in_dim, std::array{x}, &attributes, type);
}

Value broadcast(Value x, Type type) {
  if (x.type() == type) return x;
  require(x.rank() <= type.rank(), "broadcast: cannot produce ", type, " from ", x.type());
  std::array<std::int64_t, Type::max_rank> trailing;
  for (int i = 0; i < x.rank(); ++i) trailing[i] = type.rank() - x.rank() + i;
  return broadcast_in_dim(x, type, Ints(trailing.data(), x.rank()));
}

Value reshape(Value x, std::span<const Dim> dims) {
  const Type type(x.dtype(), dims);
  if (x.type() == type) return x;
  return append(ops::reshape, std::array{x}, nullptr, type);
}

Value reshape(Value x, std::initializer_list<Dim> dims) { return reshape(x, std::span(dims.begin(), dims.size())); }

Value transpose(Value x, Ints permutation) {
  if (std::ssize(permutation) == x.rank() && std::ranges::is_sorted(permutation, std::ranges::less_equal{})) return x;
  const TransposeAttributes attributes{permutation};
  return append(ops::transpose, std::array{x}, &attributes);
}

Value slice(Value x, Ints start, Ints limit, Ints strides) {
  const SliceAttributes attributes{start, limit, strides};
  return append(ops::slice, std::array{x}, &attributes);
}

Value pad(Value x, Value value, Ints low, Ints high, Ints interior) {
  const PadAttributes attributes{low, high, interior};
  return append(ops::pad, std::array{x, value}, &attributes);
}

Value concatenate(std::span<const Value> parts, std::int64_t dimension) {
  const ConcatenateAttributes attributes{dimension};
  return graph_of("concatenate", parts).append(ops::concatenate, parts, &attributes).result();
}

Value reverse(Value x, Ints dimensions) {
  const DimensionsAttributes attributes{dimensions};
  return append(ops::reverse, std::array{x}, &attributes);
}

// Contractions

Value dot_general(Value lhs, Value rhs, const DotAttributes& dimensions, DType result) {
  if (result == lhs.dtype()) return dot_general(lhs, rhs, dimensions);
  const std::array operands{lhs, rhs};
  std::vector<Type> types;
  dot_general_type(Call{ops::dot_general, operands, &dimensions, {}, {}}, types);
  return append(ops::dot_general, operands, &dimensions, types[0].with(result));
}

Value dot_general(Value lhs, Value rhs, const DotAttributes& dimensions) {
  return append(ops::dot_general, std::array{lhs, rhs}, &dimensions);
}

Value convolution(Value x, Value kernel, const ConvolutionAttributes& attributes) {
  return append(ops::convolution, std::array{x, kernel}, &attributes);
}

// Indexing

Value gather(Value x, Value indices, const GatherAttributes& attributes) {
  return append(ops::gather, std::array{x, indices}, &attributes);
}

Value scatter(Value x, Value indices, Value updates, const ScatterAttributes& attributes,
              std::shared_ptr<const Graph> body) {
  return scatter(std::span(&x, 1), indices, std::span(&updates, 1), attributes, std::move(body))[0];
}

std::vector<Value> scatter(std::span<const Value> xs, Value indices, std::span<const Value> updates,
                           const ScatterAttributes& attributes, std::shared_ptr<const Graph> body) {
  std::vector<Value> operands(xs.begin(), xs.end());
  operands.push_back(indices);
  operands.insert(operands.end(), updates.begin(), updates.end());
  return results(indices.graph().append(ops::scatter, operands, &attributes, {}, std::span(&body, 1)));
}

Value dynamic_slice(Value x, std::span<const Value> starts, Ints sizes) {
  const DynamicSliceAttributes attributes{sizes};
  return x.graph().append(ops::dynamic_slice, joined(std::span(&x, 1), starts), &attributes).result();
}

Value dynamic_update_slice(Value x, Value update, std::span<const Value> starts) {
  return x.graph().append(ops::dynamic_update_slice, joined(std::array{x, update}, starts)).result();
}

std::vector<Value> sort(std::span<const Value> xs, std::int64_t dimension, bool is_stable,
                        std::shared_ptr<const Graph> comparator) {
  const SortAttributes attributes{dimension, is_stable};
  return results(graph_of("sort", xs).append(ops::sort, xs, &attributes, {}, std::span(&comparator, 1)));
}

Value select_and_scatter(Value x, Value source, Value init, const SelectAndScatterAttributes& window,
                         std::shared_ptr<const Graph> select, std::shared_ptr<const Graph> scatter) {
  const std::array regions{std::move(select), std::move(scatter)};
  return x.graph().append(ops::select_and_scatter, std::array{x, source, init}, &window, {}, regions).result();
}

// Control

std::vector<Value> while_(std::span<const Value> inits, std::shared_ptr<const Graph> condition,
                          std::shared_ptr<const Graph> body) {
  const std::array regions{std::move(condition), std::move(body)};
  return results(graph_of("while", inits).append(ops::while_, inits, nullptr, {}, regions));
}

std::vector<Value> if_(Value predicate, std::span<const Value> captures, std::shared_ptr<const Graph> on_true,
                       std::shared_ptr<const Graph> on_false) {
  const std::array regions{std::move(on_true), std::move(on_false)};
  return results(predicate.graph().append(ops::if_, joined(std::span(&predicate, 1), captures), nullptr, {}, regions));
}

std::vector<Value> case_(Value index, std::span<const Value> captures,
                         std::span<const std::shared_ptr<const Graph>> branches) {
  return results(index.graph().append(ops::case_, joined(std::span(&index, 1), captures), nullptr, {}, branches));
}

std::vector<Value> composite(std::string_view name, std::span<const Value> operands,
                             std::shared_ptr<const Graph> decomposition) {
  const CompositeAttributes attributes{name};
  return results(
      graph_of("composite", operands).append(ops::composite, operands, &attributes, {}, std::span(&decomposition, 1)));
}

// Other

std::vector<Value> rng_bit_generator(Value state, Type type, RngAlgorithm algorithm) {
  const RngAttributes attributes{algorithm};
  return results(
      state.graph().append(ops::rng_bit_generator, std::span(&state, 1), &attributes, std::array{state.type(), type}));
}

std::vector<Value> optimization_barrier(std::span<const Value> xs) {
  return results(graph_of("optimization_barrier", xs).append(ops::optimization_barrier, xs));
}

}  // namespace weft::ir
