#include <weft/ir/legalize/expand_regions.h>

#include <algorithm>
#include <utility>

#include <weft/ir/ops.h>

namespace weft::ir::legalize {

namespace {

using Values = std::vector<Value>;

constexpr DType index_dtype = DType::i64;

// Reads and writes one slice along the scanned dimension of tensors of any shape.
class Slices {
 public:
  Slices(std::int64_t dimension, Value index) : dimension_(dimension), index_(index) {}

  Value read(Value x) const {
    std::vector<std::int64_t> sizes;
    std::vector<Dim> rest;
    for (std::size_t d = 0; d < x.type().dims().size(); ++d) {
      sizes.push_back(d == dimension_ ? 1 : x.size(d));
      if (d != dimension_) rest.push_back(x.type().dims()[d]);
    }
    return reshape(dynamic_slice(x, starts(x), sizes), rest);
  }

  Value write(Value x, Value slice) const {
    std::vector<Dim> dims(slice.type().dims().begin(), slice.type().dims().end());
    dims.insert(dims.begin() + std::min(dimension_, dims.size()), Dim(1));
    return dynamic_update_slice(x, reshape(slice, dims), starts(x));
  }

 private:
  Values starts(Value x) const {
    Values starts(x.type().dims().size(), constant_like(index_, 0));
    starts[dimension_] = index_;
    return starts;
  }

  std::size_t dimension_;
  Value index_;
};

std::int64_t length_of(const Scan& scan) {
  std::vector<Type> stacked(scan.outputs.begin(), scan.outputs.end());
  for (const Value v : scan.inputs) stacked.push_back(v.type());
  require(!stacked.empty(), "needs an input or an output");
  std::int64_t length = -1;
  for (const Type type : stacked) {
    require(scan.dimension >= 0 && scan.dimension < type.rank(), "dimension ", scan.dimension, " is not one of ", type);
    const std::int64_t size = type.size(scan.dimension);
    require(length < 0 || size == length, "inputs and outputs must have one length, got ", length, " and ", size);
    length = size;
  }
  return length;
}

// The values that the loop carries, in this order: step, inputs, outputs, carries, captures.
struct LoopValues {
  Value step;
  std::span<const Value> inputs, outputs, carries, captures;

  LoopValues(std::span<const Value> all, const Scan& scan) : step(all[0]) {
    auto take = [&, at = std::size_t{1}](std::size_t count) mutable {
      return all.subspan(std::exchange(at, at + count), count);
    };
    inputs = take(scan.inputs.size());
    outputs = take(scan.outputs.size());
    carries = take(scan.carries.size());
    captures = take(scan.captures.size());
  }
};

Values one_step(Graph& graph, const LoopValues& v, const Scan& scan, std::int64_t length) {
  const Value index = scan.is_reverse ? constant_like(v.step, length - 1) - v.step : v.step;
  const Slices slices(scan.dimension, index);
  Values arguments;
  for (const Value input : v.inputs) arguments.push_back(slices.read(input));
  arguments.insert(arguments.end(), v.carries.begin(), v.carries.end());
  arguments.insert(arguments.end(), v.captures.begin(), v.captures.end());
  require(std::ranges::equal(arguments, scan.body->inputs(), {}, &Value::type, &Value::type),
          "the body's arguments are not the slices and carries");
  const Values results = inline_graph(graph, *scan.body, arguments);
  require(results.size() == v.outputs.size() + v.carries.size(), "the body returns ", results.size(),
          " values, expected ", v.outputs.size(), " slices and ", v.carries.size(), " carries");
  Values next{v.step + constant_like(v.step, 1)};
  next.insert(next.end(), v.inputs.begin(), v.inputs.end());
  for (std::size_t i = 0; i < v.outputs.size(); ++i) next.push_back(slices.write(v.outputs[i], results[i]));
  next.insert(next.end(), results.begin() + v.outputs.size(), results.end());
  next.insert(next.end(), v.captures.begin(), v.captures.end());
  return next;
}

}  // namespace

std::vector<Value> expand_scan(Graph& graph, const Scan& scan) {
  const std::int64_t length = length_of(scan);
  if (length == 0) {  // there are no slices
    Values results;
    for (const Type type : scan.outputs) results.push_back(constant(graph, type, 0));
    results.insert(results.end(), scan.carries.begin(), scan.carries.end());
    return results;
  }
  Values inits{constant(graph, Type(index_dtype, {}), 0)};
  inits.insert(inits.end(), scan.inputs.begin(), scan.inputs.end());
  for (const Type type : scan.outputs) inits.push_back(constant(graph, type, 0));
  inits.insert(inits.end(), scan.carries.begin(), scan.carries.end());
  inits.insert(inits.end(), scan.captures.begin(), scan.captures.end());
  std::vector<Type> types;
  for (const Value v : inits) types.push_back(v.type());
  const auto condition = make_graph(types, [&](Graph&, std::span<const Value> all) {
    return Values{compare(all[0], constant_like(all[0], length), Direction::LT)};
  });
  const auto body = make_graph(types, [&](Graph& inner, std::span<const Value> all) {
    return one_step(inner, LoopValues(all, scan), scan, length);
  });
  const Values results = while_(inits, condition, body);
  const auto first = results.begin() + 1 + std::ssize(scan.inputs);
  return {first, first + (scan.outputs.size() + scan.carries.size())};
}

std::vector<Value> expand_map(Graph& graph, std::span<const Value> operands, const Graph& body) {
  require(!operands.empty() && body.inputs().size() == operands.size(), "the body takes ", body.inputs().size(),
          " values, the operands are ", operands.size());
  const std::span<const Dim> dims = operands[0].type().dims();
  Values values;  // values: by node id of the body, whose nodes have one result each
  Values arguments;
  for (const Node* node : body.nodes()) {
    require(node->types.size() == 1, node->op->name, " in the body is not elementwise");
    const Type type(node->type().dtype(), dims);
    if (node->op == &ops::parameter) {
      values.push_back(operands[node->attributes<ParameterAttributes>().index]);
      require(values.back().type() == type, "operands must have one shape and the dtypes of the body's arguments");
    } else if (node->op == &ops::constant) {
      values.push_back(constant(graph, Literal{type, node->attributes<ConstantAttributes>().value.bytes}));
    } else {
      require(node->op->kind == Kind::elementwise, node->op->name, " in the body is not elementwise");
      arguments.clear();
      for (const Value v : node->operands) arguments.push_back(values[v.node->id]);
      values.push_back(graph.append(*node->op, arguments, node->attribute_data, std::span(&type, 1)).result());
    }
  }
  Values results;
  for (const Value v : body.outputs()) results.push_back(values[v.node->id]);
  return results;
}

}  // namespace weft::ir::legalize
