#include <weft/compiler/passes/whole_windows.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;

bool contains(std::span<const std::int64_t> dims, std::int64_t d) { return std::ranges::find(dims, d) != dims.end(); }

// The sizes of a scatter's operand and of its windows, in the dimensions that the indices name and in their order.
struct Bounds {
  Dims sizes, windows;
};

Bounds bounds_of(const ir::Node& scatter) {
  const auto& a = scatter.attributes<ir::ScatterAttributes>();
  const Type operand = scatter.operand(0).type(), updates = scatter.operands.back().type();
  Dims window(operand.rank(), 1);
  std::size_t at = 0;
  for (int d = 0; d < operand.rank(); ++d)
    if (!contains(a.inserted_window_dims, d) && !contains(a.input_batching_dims, d))
      window[d] = updates.size(static_cast<int>(a.update_window_dims[at++]));
  Bounds bounds;
  for (const std::int64_t d : a.scatter_dims_to_operand_dims) {
    bounds.sizes.push_back(operand.size(static_cast<int>(d)));
    bounds.windows.push_back(window[d]);
  }
  return bounds;
}

// A window of one element is inside or outside.
bool may_lie_on_the_edge(const ir::Node& node) {
  if (node.op != &ir::ops::scatter || !ir::is_static(node)) return false;
  return std::ranges::any_of(bounds_of(node).windows, [](std::int64_t size) { return size > 1; });
}

bool concerns(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const ir::Node* node) {
    return may_lie_on_the_edge(*node) ||
           std::ranges::any_of(node->regions, [](const ir::Graph* region) { return concerns(*region); });
  });
}

// Returns the indices, where those of windows that are partly outside name a place beyond the operand.
Value whole_windows(Value indices, const ir::Node& scatter) {
  const std::int64_t vector_dim = scatter.attributes<ir::ScatterAttributes>().index_vector_dim;
  Dims dims, others;
  for (int d = 0; d < indices.type().rank(); ++d) dims.push_back(indices.type().size(d));
  if (vector_dim == std::ssize(dims)) dims.push_back(1);  // each index is a single number
  const Value index = ir::reshape(ir::convert(indices, DType::i64), std::vector<Dim>(dims.begin(), dims.end()));
  for (std::int64_t d = 0; d < std::ssize(dims); ++d)
    if (d != vector_dim) others.push_back(d);

  // Returns these numbers along the dimension of the index vectors.
  const auto along = [&](const Dims& numbers) {
    const Type vector(DType::i64, {static_cast<std::int64_t>(numbers.size())});
    const ir::Literal literal{vector, std::as_bytes(std::span(numbers))};
    return ir::broadcast_in_dim(ir::constant(index.graph(), literal), index.type(), std::array{vector_dim});
  };
  const auto [sizes, windows] = bounds_of(scatter);
  Dims last;
  for (std::size_t i = 0; i < sizes.size(); ++i) last.push_back(sizes[i] - windows[i]);
  const Value zero = ir::constant_like(index, 0), one = ir::constant_like(index, 1);
  const Value fits =
      ir::and_(ir::compare(index, zero, ir::Direction::GE), ir::compare(index, along(last), ir::Direction::LE));
  const Value all_fit =
      ir::broadcast_in_dim(ir::reduce_min(ir::select(fits, one, zero), std::array{vector_dim}), index.type(), others);
  const Value moved = ir::select(ir::compare(all_fit, one, ir::Direction::EQ), index, along(sizes));
  return ir::reshape(moved, std::vector<Dim>(indices.type().dims().begin(), indices.type().dims().end()));
}

}  // namespace

std::shared_ptr<ir::Graph> scatter_whole_windows(const ir::Graph& graph) {
  if (!concerns(graph)) return nullptr;
  Rewriter rewriter(graph);
  return rewriter.run([&](const ir::Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    std::vector<Value> changed(operands.begin(), operands.end());
    ir::Node* copy = nullptr;
    if (may_lie_on_the_edge(node)) {
      Value& indices = changed[changed.size() / 2];  // between as many operands and updates
      indices = whole_windows(indices, node);
      copy = &rewriter.graph().append_copy(node, changed);
    } else if (std::ranges::any_of(node.regions, [](const ir::Graph* region) { return concerns(*region); })) {
      std::vector<std::shared_ptr<const ir::Graph>> regions;
      for (const ir::Graph* region : node.regions) {
        auto rewritten = scatter_whole_windows(*region);
        regions.push_back(rewritten ? std::move(rewritten) : copy_of(*region));
      }
      copy = &rewriter.graph().append(*node.op, operands, node.attribute_data, node.types, regions);
    } else {
      return std::nullopt;
    }
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(copy->result(i));
    return results;
  });
}

}  // namespace weft::compiler
