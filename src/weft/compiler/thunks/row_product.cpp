#include <weft/compiler/thunks/row_product.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/compiler/library/product_unit.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/thunks/kernel_thunk.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Numbers = std::vector<std::int64_t>;

// A dimension of an operand: its size, and the distance between its elements in memory.
struct Axis {
  std::int64_t size, stride;
};
using Axes = std::vector<Axis>;

// The axes of an operand: those of the batch, and then two others.
Axes axes_of(const std::vector<Size>& batch, Size first, Size second, const std::vector<Size>& strides) {
  Axes axes;
  for (const Size size : batch) axes.push_back({size.value(), 0});
  for (const Size size : {first, second}) axes.push_back({size.value(), 0});
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i].stride = strides[i].value();
  return axes;
}

// An array in row-major order of which the operand is a part.
struct Array {
  Numbers sizes;
  Numbers axes;  // those axes of the operand that have several elements, in the order in which they lie in the array
};

// Returns nullopt if the operand is no rectangular part of an array.
std::optional<Array> array_of(const Axes& operand) {
  Array array;
  for (std::size_t i = 0; i < operand.size(); ++i)
    if (operand[i].size > 1 && operand[i].stride > 0) array.axes.push_back(static_cast<std::int64_t>(i));
  std::ranges::stable_sort(array.axes, std::greater{}, [&](std::int64_t i) { return operand[i].stride; });
  for (std::size_t k = 0; k < array.axes.size(); ++k) {
    const Axis& axis = operand[array.axes[k]];
    if (k == 0) {
      array.sizes.push_back(axis.size);
      continue;
    }
    const std::int64_t around = operand[array.axes[k - 1]].stride;
    if (around % axis.stride != 0 || around / axis.stride < axis.size) return std::nullopt;
    array.sizes.push_back(around / axis.stride);
  }
  if (!array.axes.empty() && operand[array.axes.back()].stride != 1) return std::nullopt;
  return array;
}

// Returns the operand as a value with its axes in their order, computed from an array.
Value part_of(Value x, const Array& array, const Axes& operand) {
  Numbers ends, sizes;
  for (const std::int64_t axis : array.axes) ends.push_back(operand[axis].size);
  x = ir::slice(x, Numbers(ends.size(), 0), ends, Numbers(ends.size(), 1));
  for (const Axis& axis : operand) sizes.push_back(axis.size);
  return ir::broadcast_in_dim(x, Type(x.dtype(), std::vector<Dim>(sizes.begin(), sizes.end())), array.axes);
}

// A product of a vector and a matrix, whichever of them is on the left.
struct RowProduct {
  bool matrix_is_left = false;
  Axes vector, matrix;  // batch..., terms; batch..., terms, columns
  Array vector_array, matrix_array;
};

std::optional<RowProduct> row_product_of(const Matmul& matmul, const MatmulShape& shape) {
  const auto is_short_float = [](DType dtype) { return is_float(dtype) && byte_size(dtype) <= 4; };
  if ((!shape.m.is(1) && !shape.n.is(1)) || !is_short_float(matmul.dot->operand(0).dtype()) ||
      !is_short_float(matmul.dot->operand(1).dtype()) || !is_short_float(matmul.epilogue.result.dtype()))
    return std::nullopt;
  RowProduct result;
  result.matrix_is_left = !shape.m.is(1);
  const std::size_t rank = shape.batch.size();
  Axes lhs = axes_of(shape.batch, shape.m, shape.k, shape.lhs), rhs = axes_of(shape.batch, shape.k, shape.n, shape.rhs);
  std::swap(lhs[rank], lhs[rank + 1]);  // terms, rows
  result.vector = result.matrix_is_left ? rhs : lhs;
  result.matrix = result.matrix_is_left ? lhs : rhs;
  result.vector.pop_back();
  const auto is_read_in_order = [](const Axis& axis) { return axis.stride == 1 || axis.size == 1; };
  if (!is_read_in_order(result.matrix[rank]) && !is_read_in_order(result.matrix[rank + 1])) return std::nullopt;
  auto vector = array_of(result.vector), matrix = array_of(result.matrix);
  if (!vector || !matrix) return std::nullopt;
  result.vector_array = std::move(*vector);
  result.matrix_array = std::move(*matrix);
  return result;
}

Value activated(Value x, Activation activation) {
  switch (activation) {
    case Activation::tanh: return ir::tanh(x);
    case Activation::silu: return ir::silu(x);
    case Activation::gelu: return ir::gelu(x);
    case Activation::gelu_tanh: return ir::gelu_tanh(x);
  }
  WEFT_ASSERT(false, "an activation of no function");
}

Type type_of(DType dtype, const Numbers& sizes) { return Type(dtype, std::vector<Dim>(sizes.begin(), sizes.end())); }

// Returns a graph that computes the product. Its inputs are what for_each_operand visits, in this order.
std::shared_ptr<const ir::Graph> graph_of(const Matmul& matmul, const MatmulShape& shape, const RowProduct& row) {
  const std::int64_t rank = std::ssize(shape.batch);
  Numbers result_sizes;
  for (const Size size : shape.batch) result_sizes.push_back(size.value());
  result_sizes.push_back(row.matrix[rank + 1].size);
  const int matrix_at = row.matrix_is_left ? 0 : 1, vector_at = 1 - matrix_at;
  std::vector<Type> inputs(2);
  inputs[matrix_at] = type_of(matmul.dot->operand(matrix_at).dtype(), row.matrix_array.sizes);
  inputs[vector_at] = type_of(matmul.dot->operand(vector_at).dtype(), row.vector_array.sizes);
  for (const EpilogueStep& step : matmul.epilogue.steps) {
    if (!step.operand.base) continue;
    const bool is_bias = step.kind == EpilogueStep::Kind::bias;
    inputs.push_back(type_of(step.operand.base.dtype(), is_bias ? Numbers{shape.n.value()} : result_sizes));
  }
  std::shared_ptr<const ir::Graph> graph = ir::make_graph(inputs, [&](ir::Graph&, std::span<const Value> x) {
    Numbers batch(rank);
    std::iota(batch.begin(), batch.end(), 0);
    const Numbers terms{rank};
    const Axis& columns = row.matrix[rank + 1];
    Value y = multiply_and_reduce(
        part_of(x[vector_at], row.vector_array, row.vector), part_of(x[matrix_at], row.matrix_array, row.matrix),
        {batch, batch, terms, terms}, DType::f32,
        columns.stride == 1 && columns.size > 1 ? SumsOfDot::down_columns : SumsOfDot::along_rows);
    std::size_t next = 2;
    for (const EpilogueStep& step : matmul.epilogue.steps) {
      if (step.kind == EpilogueStep::Kind::activation) {
        y = activated(y, step.activation);
        continue;
      }
      Value added = ir::convert(x[next++], DType::f32);
      // A bias has an element for each column of the result, which may be the only one.
      if (step.kind == EpilogueStep::Kind::bias) added = ir::broadcast_in_dim(added, y.type(), terms);
      y = y + added;
    }
    return std::vector{ir::convert(y, matmul.epilogue.result.dtype())};
  });
  if (auto inlined = inline_composites(*graph)) graph = std::move(inlined);
  return graph;
}

Result<Lowered> lowered(const ir::Graph& graph, const Target& target) {
  KernelRequest request;
  request.outputs = {graph.outputs()[0]};
  request.computes = [&](const ir::Node& n) {
    return std::ranges::find(graph.inputs(), &n, &Value::node) == graph.inputs().end();
  };
  request.free = [](const ir::Node& n) { return n.op->kind != ir::Kind::reduction; };
  request.target = &target;
  for (const ir::Node* n : graph.nodes())
    if (n->op->kind == ir::Kind::reduction) request.reduction = n;
  return lower(request).kernel;
}

// The code of a product, and how it is called.
struct RowProductCall {
  Loop loop;
  std::vector<std::size_t> buffers;  // which operand each buffer of the loop is; the last one is the result
  std::vector<std::int64_t> parameters;
};

// Returns nullopt if no single kernel computes the graph from its inputs.
std::optional<RowProductCall> call_of(const ir::Graph& graph, const Target& target) {
  auto made = lowered(graph, target);
  if (!made) return std::nullopt;
  RowProductCall call;
  for (const Value v : made->inputs) {
    const auto input = std::ranges::find(graph.inputs(), v);
    if (input == graph.inputs().end()) return std::nullopt;
    call.buffers.push_back(static_cast<std::size_t>(input - graph.inputs().begin()));
  }
  call.buffers.push_back(graph.inputs().size());
  for (const Size size : made->loop.parameters) call.parameters.push_back(size.value());
  call.loop = std::move(made->loop);
  return call;
}

}  // namespace

std::optional<Unit> row_product_unit(const Matmul& matmul, const Target& target, const SizeValues& values) {
  const auto shape = shape_at(matmul, values);
  if (!shape || has_empty_operand(matmul, values)) return std::nullopt;
  const auto row = row_product_of(matmul, *shape);
  if (!row) return std::nullopt;
  auto found = call_of(*graph_of(matmul, *shape, *row), target);
  if (!found) return std::nullopt;
  const auto call = std::make_shared<const RowProductCall>(std::move(*found));
  const auto routine =
      std::make_shared<Routine>(Routine{.source = &call->loop, .key = call->loop.key(), .keeps = call});
  Unit unit = product_unit(matmul, values);
  HandwrittenThunk& thunk = unit.thunk();
  thunk.routines = {routine};
  thunk.make = [call, routine, offsets = offsets_of(matmul, values)](std::span<const runtime::Slice> reads,
                                                                     std::span<const runtime::Slice> writes,
                                                                     const runtime::Slice&) {
    const std::vector<ProductOperand> operands = operands_of(reads, writes, offsets);
    std::vector<runtime::Slice> buffers;
    for (const std::size_t i : call->buffers) {
      const auto& [slice, offset] = operands[i];
      buffers.push_back({slice.allocation, slice.offset + offset, slice.bytes - offset});
    }
    return std::make_unique<KernelThunk>(
        KernelCall(call->loop, reinterpret_cast<Kernel>(routine->address), std::move(buffers), call->parameters));
  };
  return unit;
}

}  // namespace weft::compiler
