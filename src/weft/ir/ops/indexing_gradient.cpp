// Gradients of dynamic slices, sort and select_and_scatter.
#include <limits>

#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

// Both directions move the window inside in the same way, so clamped starts need no special treatment.
void dynamic_slice_gradient(const GradientCall& c) {
  c.add(0, dynamic_update_slice(zeros_like(c.x()), c.dy(), c.node.operands.subspan(1)));
}

void dynamic_update_slice_gradient(const GradientCall& c) {
  const auto starts = c.node.operands.subspan(2);
  if (c.needs(0)) c.add(0, dynamic_update_slice(c.dy(), zeros_like(c.x(1)), starts));
  if (!c.needs(1)) return;
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < c.x(1).rank(); ++d) sizes.push_back(c.x(1).size(d));
  c.add(1, dynamic_slice(c.dy(), starts, sizes));
}

namespace {

// Returns where each element of the result of a sort came from, by sorting positions along with it.
Value sorted_positions(const GradientCall& c, std::int64_t dimension) {
  const Graph& comparator = *c.node.regions[0];
  const Type type = c.x().type();
  const bool wide = type.size(dimension) > std::numeric_limits<std::int32_t>::max();
  std::vector<Value> operands(c.node.operands.begin(), c.node.operands.end());
  operands.push_back(iota(*c.node.graph, type.with(wide ? DType::i64 : DType::i32), dimension));

  std::vector<Type> inputs;
  for (const Value v : operands) inputs.insert(inputs.end(), 2, Type(v.dtype(), {}));
  const auto body = make_graph(inputs, [&](Graph& graph, std::span<const Value> x) {
    return inline_graph(graph, comparator, x.first(x.size() - 2));
  });
  return sort(operands, dimension, true, body).back();
}

}  // namespace

// Each cotangent is moved back to the position from which its element came.
void sort_gradient(const GradientCall& c) {
  const int rank = c.x().rank();
  std::int64_t dimension = c.node.attributes<SortAttributes>().dimension;
  if (dimension < 0) dimension += rank;
  std::vector<std::int64_t> others;
  for (std::int64_t d = 0; d < rank; ++d)
    if (d != dimension) others.push_back(d);
  const Ints sorted(&dimension, 1);
  const Value positions = sorted_positions(c, dimension);
  for (int i = 0; i < std::ssize(c.node.operands); ++i) {
    if (!c.needs(i) || !c.dy(i)) continue;
    c.add(i, scatter(zeros_like(c.x(i)), positions, c.dy(i),
                     {.update_window_dims = {},
                      .inserted_window_dims = sorted,
                      .input_batching_dims = others,
                      .scatter_indices_batching_dims = others,
                      .scatter_dims_to_operand_dims = sorted,
                      .index_vector_dim = rank,
                      .unique_indices = true},
                     reduction_body(ops::add, c.x(i).dtype())));
  }
}

namespace {

// Returns a reduction body for (element, cotangent, present) that keeps the element that `select` keeps. `present` is false for
// the initial value, so that any selection works without an identity element.
std::shared_ptr<const Graph> selecting_body(const Graph& select_body, DType dtype) {
  const Type scalar(dtype, {}), flag(DType::boolean, {});
  const std::array inputs{scalar, scalar, flag, scalar, scalar, flag};
  return make_graph(inputs, [&](Graph& graph, std::span<const Value> x) {
    const Value chosen = inline_graph(graph, select_body, std::array{x[0], x[3]})[0];
    const Value keep = and_(x[2], or_(not_(x[5]), chosen));
    return std::vector{select(keep, x[0], x[3]), select(keep, x[1], x[4]), or_(x[2], x[5])};
  });
}

}  // namespace

// The selection itself has no derivative. An element of the source gets the cotangent of the position to which it was scattered.
void select_and_scatter_gradient(const GradientCall& c) {
  const auto& window = c.node.attributes<SelectAndScatterAttributes>();
  if (reduction_op(*c.node.regions[1]) != &ops::add)
    fail("grad: select_and_scatter has a gradient only if its scatter body adds");
  const Value x = c.x(0);
  if (c.needs(1)) {
    const Value present = constant(x.graph(), x.type().with(DType::boolean), 1), absent = scalar_like(present, 0);
    const std::array operands{x, c.dy(), present}, inits{scalar_like(x, 0), scalar_like(x, 0), absent};
    const std::vector<std::int64_t> ones(x.rank(), 1);
    c.add(1,
          reduce_window(operands, inits,
                        {.window_dimensions = window.window_dimensions.empty() ? Ints(ones) : window.window_dimensions,
                         .window_strides = window.window_strides,
                         .base_dilations = {},
                         .window_dilations = {},
                         .padding = window.padding},
                        selecting_body(*c.node.regions[0], x.dtype()))[1]);
  }
  if (c.needs(2)) c.add(2, reduce_sum(c.dy(), all_dimensions(c.dy())));
}

}  // namespace weft::ir
