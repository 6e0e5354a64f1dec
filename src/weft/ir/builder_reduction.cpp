// Builds reductions and their bodies.
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

// Returns the shared body for an op, its attributes (encoded as `variant`) and a dtype. Bodies are built once and outlive all graphs.
std::shared_ptr<const Graph> shared_body(const Op& op, int variant, DType dtype, const void* attributes) {
  static std::mutex mutex;
  static auto& bodies = *new std::map<std::tuple<const Op*, int, DType>, std::shared_ptr<const Graph>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Graph>& body = bodies[{&op, variant, dtype}];
  if (!body) {
    const std::array scalars{Type(dtype, {}), Type(dtype, {})};
    body = make_graph(scalars, [&](Graph& graph, std::span<const Value> x) {
      return std::vector{graph.append(op, x, attributes).result()};
    });
  }
  return body;
}

}  // namespace

std::shared_ptr<const Graph> reduction_body(const Op& op, DType dtype) { return shared_body(op, 0, dtype, nullptr); }

std::shared_ptr<const Graph> comparison_body(Direction direction, DType dtype, Comparison type) {
  const CompareAttributes attributes{direction, type};
  return shared_body(ops::compare, static_cast<int>(direction) * 16 + static_cast<int>(type), dtype, &attributes);
}

const Op* reduction_op(const Graph& body) {
  if (body.inputs().size() != 2 || body.outputs().size() != 1) return nullptr;
  const Node& node = *body.outputs()[0].node;
  const Value a = body.inputs()[0], b = body.inputs()[1];
  if (node.op->kind != Kind::elementwise || node.op->arity != 2 || node.op->attributes) return nullptr;
  const bool straight = node.operand(0) == a && node.operand(1) == b;
  const bool swapped = node.op->commutative && node.operand(0) == b && node.operand(1) == a;
  return straight || swapped ? node.op : nullptr;
}

namespace {

// Appends a reduction with the operands x..., init...
std::vector<Value> append(const Op& op, std::span<const Value> xs, std::span<const Value> inits, const void* attributes,
                          const std::shared_ptr<const Graph>& body) {
  require(!xs.empty(), op.name, ": expected at least one operand");
  std::vector<Value> operands(xs.begin(), xs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  Node& node = xs[0].graph().append(op, operands, attributes, {}, std::span(&body, 1));
  std::vector<Value> results(node.types.size());
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = node.result(i);
  return results;
}

Value reduce_by(const Op& op, Value x, Value init, Ints dimensions) {
  const DimensionsAttributes attributes{dimensions};
  const std::array body{reduction_body(op, x.dtype())};
  return x.graph().append(ops::reduce, std::array{x, init}, &attributes, {}, body).result();
}

// Returns the largest or smallest value of a dtype, including infinities. It avoids double, which would round 64-bit integers.
Value extreme(Graph& graph, DType dtype, bool greatest) {
  return visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    T value;
    if constexpr (std::is_integral_v<T>) {
      value = greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    } else {
      value =
          static_cast<T>(greatest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
    }
    return constant(graph, Literal{Type(dtype, {}), std::as_bytes(std::span(&value, 1))});
  });
}

Value scalar(Value x, double value) { return constant(x.graph(), Type(x.dtype(), {}), value); }

}  // namespace

std::vector<Value> reduce(std::span<const Value> xs, std::span<const Value> inits, Ints dimensions,
                          std::shared_ptr<const Graph> body) {
  const DimensionsAttributes attributes{dimensions};
  return append(ops::reduce, xs, inits, &attributes, body);
}

Value reduce_sum(Value x, Ints dimensions) {
  return dimensions.empty() ? x : reduce_by(ops::add, x, scalar(x, 0), dimensions);
}

Value reduce_product(Value x, Ints dimensions) {
  return dimensions.empty() ? x : reduce_by(ops::multiply, x, scalar(x, 1), dimensions);
}

Value reduce_max(Value x, Ints dimensions) {
  return dimensions.empty() ? x : reduce_by(ops::maximum, x, extreme(x.graph(), x.dtype(), false), dimensions);
}

Value reduce_min(Value x, Ints dimensions) {
  return dimensions.empty() ? x : reduce_by(ops::minimum, x, extreme(x.graph(), x.dtype(), true), dimensions);
}

std::vector<Value> reduce_window(std::span<const Value> xs, std::span<const Value> inits,
                                 const ReduceWindowAttributes& window, std::shared_ptr<const Graph> body) {
  return append(ops::reduce_window, xs, inits, &window, body);
}

Value reduce_window(Value x, Value init, const ReduceWindowAttributes& window, std::shared_ptr<const Graph> body) {
  return x.graph().append(ops::reduce_window, std::array{x, init}, &window, {}, std::span(&body, 1)).result();
}

}  // namespace weft::ir
