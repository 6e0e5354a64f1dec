// Replaces scatters by scatters of rows, for which GPUs have a kernel: each update is some neighbouring elements, and one number says where in
// the operand they belong.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::ScatterAttributes;
using ir::Value;
using Dims = std::vector<std::int64_t>;

bool includes(ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); }

std::size_t place_in(ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) - list.begin(); }

std::vector<Dim> as_dims(const Dims& sizes) { return {sizes.begin(), sizes.end()}; }

// Returns whether the body returns the update: the last one stays.
bool replaces(const ir::Graph& body) { return body.outputs()[0] == body.inputs()[1]; }

bool can_be_combined(const ir::Node& node) {
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  return op && identity_of(*op, accumulator_type(node.type().dtype()));
}

// Returns whether the kernel takes the scatter as it is, except for its body.
bool is_of_rows(const ir::Node& node) {
  const auto& a = node.attributes<ScatterAttributes>();
  const Type operand = node.type(), indices = node.operand(1).type(), updates = node.operand(2).type();
  if (operand.rank() == 0 || !a.input_batching_dims.empty() || a.scatter_dims_to_operand_dims.size() != 1 ||
      a.scatter_dims_to_operand_dims[0] != 0 || a.inserted_window_dims.size() != 1 || a.inserted_window_dims[0] != 0)
    return false;
  const bool has_last_vector = a.index_vector_dim >= indices.rank() - 1;
  for (int d = 1; d < operand.rank(); ++d) {
    const std::int64_t in_updates = a.update_window_dims[d - 1];
    if (in_updates != updates.rank() - operand.rank() + d ||
        updates.size(static_cast<int>(in_updates)) != operand.size(d))
      return false;
  }
  return has_last_vector;
}

// Indices that are too large for i64 stay large.
Value signed_indices(Value indices) {
  constexpr double large = 0x1p62;
  if (indices.dtype() == DType::u64) indices = ir::minimum(indices, ir::constant_like(indices, large));
  return ir::convert(indices, DType::i64);
}

// Divides the dimensions of the updates into those that number the rows and those within a row. A row consists of the last dimensions of the
// operand that every update covers as a whole.
class Rows {
 public:
  Rows(const ir::Node& node, Value indices)
      : a_(node.attributes<ScatterAttributes>()),
        operand_(node.type()),
        updates_(node.operand(2).type()),
        graph_(indices.graph()),
        indices_(signed_indices(indices)) {
    first_of_row_ = operand_.rank();
    while (first_of_row_ > 0 && is_whole(first_of_row_ - 1)) --first_of_row_;
    Dims of_row;
    for (int d = 0; d < operand_.rank(); ++d) {
      (d < first_of_row_ ? count_ : width_) *= operand_.size(d);
      if (d >= first_of_row_ && in_updates(d)) of_row.push_back(*in_updates(d));
    }
    for (std::int64_t d = 0; d < updates_.rank(); ++d)
      if (!includes(of_row, d)) {
        order_.push_back(d);
        numbered_.push_back(updates_.size(static_cast<int>(d)));
        updates_count_ *= numbered_.back();
      }
    order_.insert(order_.end(), of_row.begin(), of_row.end());
  }

  // Returns for each update the number of its row in the operand, -1 if it lies outside.
  Value numbers() const {
    const Type type(DType::i64, as_dims(numbered_));
    Value number = ir::constant(graph_, type, 0), is_inside;
    for (int d = 0; d < first_of_row_; ++d) {
      const Value place = place_along(d, type);
      const Value inside = ir::and_(
          ir::compare(place, ir::constant_like(place, 0), ir::Direction::GE),
          ir::compare(place, ir::constant_like(place, static_cast<double>(operand_.size(d))), ir::Direction::LT));
      is_inside = is_inside ? ir::and_(is_inside, inside) : inside;
      number = number * ir::constant_like(number, static_cast<double>(operand_.size(d))) + place;
    }
    if (is_inside) number = ir::select(is_inside, number, ir::constant_like(number, -1));
    return ir::convert(ir::reshape(number, {Dim(updates_count_), Dim(1)}), DType::i32);
  }

  Value rows_of_operand(Value operand) const { return ir::reshape(operand, {Dim(count_), Dim(width_)}); }
  Value rows_of_updates(Value updates) const {
    return ir::reshape(ir::transpose(updates, order_), {Dim(updates_count_), Dim(width_)});
  }

 private:
  // Returns the dimension of the updates with the window's elements along a dimension of the operand.
  std::optional<std::int64_t> in_updates(int d) const {
    if (includes(a_.inserted_window_dims, d) || includes(a_.input_batching_dims, d)) return std::nullopt;
    std::size_t window = 0;
    for (int before = 0; before < d; ++before)
      if (!includes(a_.inserted_window_dims, before) && !includes(a_.input_batching_dims, before)) ++window;
    return a_.update_window_dims[window];
  }

  bool is_whole(int d) const {
    const auto of_window = in_updates(d);
    return of_window && !includes(a_.scatter_dims_to_operand_dims, d) &&
           updates_.size(static_cast<int>(*of_window)) == operand_.size(d);
  }

  // Returns the place among the numbering dimensions of one of the updates' dimensions.
  std::int64_t number_of(std::int64_t in_updates) const {
    return static_cast<std::int64_t>(place_in(order_, in_updates));
  }

  // Returns where each update lies along a dimension of the operand.
  Value place_along(int d, Type type) const {
    Value place;
    const auto add = [&](Value term) { place = place ? place + term : term; };
    if (includes(a_.scatter_dims_to_operand_dims, d)) add(start(place_in(a_.scatter_dims_to_operand_dims, d), type));
    if (includes(a_.input_batching_dims, d)) {
      const std::int64_t of_indices = a_.scatter_indices_batching_dims[place_in(a_.input_batching_dims, d)];
      const std::int64_t batch = of_indices - (of_indices > a_.index_vector_dim ? 1 : 0);
      add(ir::iota(graph_, type, number_of(batches()[batch])));
    } else if (const auto of_window = in_updates(d)) {
      add(ir::iota(graph_, type, number_of(*of_window)));
    }
    return place ? place : ir::constant(graph_, type, 0);
  }

  // Returns the dimensions of the updates that those of the indices become, without the index vector.
  Dims batches() const {
    Dims dims;
    for (std::int64_t d = 0; d < updates_.rank(); ++d)
      if (!includes(a_.update_window_dims, d)) dims.push_back(d);
    return dims;
  }

  // Returns a component of the index vectors.
  Value start(std::size_t component, Type type) const {
    Value starts = indices_;
    if (a_.index_vector_dim < indices_.rank()) {
      Dims low(indices_.rank(), 0), high;
      const Dims step(indices_.rank(), 1);
      std::vector<Dim> without_vector;
      for (int d = 0; d < indices_.rank(); ++d) {
        high.push_back(indices_.type().size(d));
        if (d != a_.index_vector_dim) without_vector.emplace_back(high.back());
      }
      low[a_.index_vector_dim] = static_cast<std::int64_t>(component);
      high[a_.index_vector_dim] = static_cast<std::int64_t>(component) + 1;
      starts = ir::reshape(ir::slice(indices_, low, high, step), without_vector);
    }
    Dims to;
    for (const std::int64_t d : batches()) to.push_back(number_of(d));
    return ir::broadcast_in_dim(starts, type, to);
  }

  const ScatterAttributes& a_;
  Type operand_, updates_;
  ir::Graph& graph_;
  Value indices_;
  int first_of_row_ = 0;
  std::int64_t count_ = 1, width_ = 1, updates_count_ = 1;
  Dims order_;     // of the updates' dimensions: those that number the rows, then those of the row
  Dims numbered_;  // the sizes of the first ones
};

Value scatter_rows(Value operand, Value numbers, Value updates, std::shared_ptr<const ir::Graph> body) {
  const std::int64_t first[] = {0}, second[] = {1};
  ScatterAttributes rows;
  if (operand.rank() == 2) rows.update_window_dims = second;
  rows.inserted_window_dims = rows.scatter_dims_to_operand_dims = first;
  rows.index_vector_dim = 1;
  return ir::scatter(operand, numbers, updates, rows, std::move(body));
}

// Finds the last update of each row, whose elements then replace the row's.
Value replaced_rows(Value operand, Value numbers, Value updates) {
  ir::Graph& graph = operand.graph();
  const std::int64_t count = operand.type().size(0), width = operand.type().size(1);
  const Type of_rows(DType::i32, {count}), of_updates(DType::i32, {updates.type().size(0)});
  const Value last = scatter_rows(ir::constant(graph, of_rows, -1), numbers, ir::iota(graph, of_updates, 0),
                                  ir::reduction_body(ir::ops::maximum, DType::i32));
  const std::int64_t first[] = {0}, second[] = {1}, sizes[] = {1, width};
  ir::GatherAttributes rows;
  rows.offset_dims = second;
  rows.collapsed_slice_dims = rows.start_index_map = first;
  rows.index_vector_dim = 1;
  rows.slice_sizes = sizes;
  const Value from = ir::reshape(ir::maximum(last, ir::constant_like(last, 0)), {Dim(count), Dim(1)});
  const Value is_replaced = ir::compare(last, ir::constant_like(last, 0), ir::Direction::GE);
  return ir::select(ir::broadcast_in_dim(is_replaced, operand.type().with(DType::boolean), first),
                    ir::gather(updates, from, rows), operand);
}

}  // namespace

std::shared_ptr<ir::Graph> expand_scatters(const ir::Graph& graph, const Target& target) {
  const auto wanted = [&](const ir::Node& node) {
    if (!target.is_gpu || node.op != &ir::ops::scatter || node.types.size() != 1 || !ir::is_static(node)) return false;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const bool has_elements = node.type().elements() > 0 && node.operand(2).type().elements() > 0;
    const bool fits = node.type().elements() < most && node.operand(2).type().elements() < most;
    return has_elements && fits && !is_narrow(node.operand(1).dtype()) && !is_narrow(node.type().dtype()) &&
           (replaces(*node.regions[0]) || (can_be_combined(node) && !is_of_rows(node)));
  };
  return rewrite_where(graph, wanted, [](ir::Graph&, const ir::Node& node, std::span<const Value> operands) {
    const Rows rows(node, operands[1]);
    const Value operand = rows.rows_of_operand(operands[0]), updates = rows.rows_of_updates(operands[2]);
    const Value result =
        replaces(*node.regions[0])
            ? replaced_rows(operand, rows.numbers(), updates)
            : scatter_rows(operand, rows.numbers(), updates,
                           ir::reduction_body(*ir::reduction_op(*node.regions[0]), node.type().dtype()));
    return std::optional(std::vector{ir::reshape(result, node.type().dims())});
  });
}

}  // namespace weft::compiler
