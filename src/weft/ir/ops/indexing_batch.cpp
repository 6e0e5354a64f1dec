// Batching rules of indexing. Positions that are the same for all examples take windows with all of them; others choose within their
// example.
#include <weft/ir/builder.h>
#include <weft/ir/ops/batch_dims.h>
#include <weft/ir/ops/indexing.h>

namespace weft::ir {

std::vector<Batched> batch_gather(const BatchCall& c) {
  const auto& a = c.attributes<GatherAttributes>();
  const bool of_x = c.is_batched(0), of_indices = c.is_batched(1);
  Int64s offset = shifted(a.offset_dims);
  Int64s collapsed(a.collapsed_slice_dims.begin(), a.collapsed_slice_dims.end()),
      batching(a.operand_batching_dims.begin(), a.operand_batching_dims.end()),
      start_batching(a.start_indices_batching_dims.begin(), a.start_indices_batching_dims.end()),
      start_map(a.start_index_map.begin(), a.start_index_map.end()), sizes(a.slice_sizes.begin(), a.slice_sizes.end());
  if (of_x) {
    collapsed = shifted(collapsed);
    batching = shifted(batching);
    start_map = shifted(start_map);
    sizes = prepended(of_indices ? 1 : c.size(), sizes);
  }
  if (of_indices) start_batching = shifted(start_batching);
  if (of_x && of_indices) {
    batching.insert(batching.begin(), 0);
    start_batching.insert(start_batching.begin(), 0);
  } else if (of_x) {
    offset.insert(offset.begin(), 0);
  }
  return {gather(c.x(0), c.x(1),
                 {.offset_dims = offset,
                  .collapsed_slice_dims = collapsed,
                  .operand_batching_dims = batching,
                  .start_indices_batching_dims = start_batching,
                  .start_index_map = start_map,
                  .index_vector_dim = a.index_vector_dim + (of_indices ? 1 : 0),
                  .slice_sizes = sizes,
                  .indices_are_sorted = a.indices_are_sorted && !of_indices})};
}

std::vector<Batched> batch_scatter(const BatchCall& c) {
  const auto& a = c.attributes<ScatterAttributes>();
  const int count = static_cast<int>(c.operands.size()) / 2;
  const bool of_indices = c.is_batched(count);
  Int64s window = shifted(a.update_window_dims), inserted = shifted(a.inserted_window_dims),
         batching = shifted(a.input_batching_dims), to_operand = shifted(a.scatter_dims_to_operand_dims),
         of_batching(a.scatter_indices_batching_dims.begin(), a.scatter_indices_batching_dims.end());
  if (of_indices) {
    batching.insert(batching.begin(), 0);
    of_batching = prepended(0, shifted(of_batching));
  } else {
    window.insert(window.begin(), 0);
  }
  const ScatterAttributes attributes{.update_window_dims = window,
                                     .inserted_window_dims = inserted,
                                     .input_batching_dims = batching,
                                     .scatter_indices_batching_dims = of_batching,
                                     .scatter_dims_to_operand_dims = to_operand,
                                     .index_vector_dim = a.index_vector_dim + (of_indices ? 1 : 0),
                                     .indices_are_sorted = a.indices_are_sorted && !of_indices,
                                     .unique_indices = a.unique_indices};
  std::vector<Value> operands = c.all_batched();
  operands[count] = c.x(count);
  return c.append(operands, &attributes);
}

namespace {

// Returns positions given as separate numbers, from operand `first` on, as one matrix with a row for each example.
Value matrix_of_starts(const BatchCall& c, int first) {
  std::vector<Value> columns;
  for (int i = first; i < std::ssize(c.operands); ++i)
    columns.push_back(reshape(convert(c.batched(i), DType::i64), {Dim(c.size()), Dim(1)}));
  return concatenate(columns, 1);
}

std::vector<Value> with_first_start(const BatchCall& c, int first) {
  std::vector<Value> starts;
  for (int i = first; i < std::ssize(c.operands); ++i) starts.push_back(c.x(i));
  starts.insert(starts.begin(), constant_like(starts.front(), 0));
  return starts;
}

Int64s range(std::int64_t first, std::int64_t end) {
  Int64s all;
  for (std::int64_t i = first; i < end; ++i) all.push_back(i);
  return all;
}

}  // namespace

std::vector<Batched> batch_dynamic_slice(const BatchCall& c) {
  const Ints sizes = c.attributes<DynamicSliceAttributes>().sizes;
  if (sizes.empty()) return {c.x()};
  if (!c.any_batched(1, static_cast<int>(c.operands.size())))
    return {dynamic_slice(c.x(), with_first_start(c, 1), prepended(c.size(), sizes))};
  const std::int64_t rank = std::ssize(sizes);
  const bool of_x = c.is_batched(0);
  const Int64s window = range(1, rank + 1), map = of_x ? window : range(0, rank), first{0};
  return {gather(c.x(), matrix_of_starts(c, 1),
                 {.offset_dims = window,
                  .collapsed_slice_dims = {},
                  .operand_batching_dims = of_x ? Ints(first) : Ints(),
                  .start_indices_batching_dims = of_x ? Ints(first) : Ints(),
                  .start_index_map = map,
                  .index_vector_dim = 1,
                  .slice_sizes = of_x ? prepended(1, sizes) : Int64s(sizes.begin(), sizes.end())})};
}

std::vector<Batched> batch_dynamic_update_slice(const BatchCall& c) {
  const Type x = c.node.operand(0).type(), update = c.node.operand(1).type();
  if (x.rank() == 0) return {c.batched(1)};
  if (!c.any_batched(2, static_cast<int>(c.operands.size())))
    return {dynamic_update_slice(c.batched(0), c.batched(1), with_first_start(c, 2))};
  // A scatter skips what is outside, so the windows are moved inside first.
  std::vector<std::int64_t> last;
  for (int d = 0; d < x.rank(); ++d) last.push_back(x.size(d) - update.size(d));
  const Value starts = matrix_of_starts(c, 2), zero = constant(c.graph, Type(DType::i64, {}), 0);
  const Value ends = constant(c.graph, Literal{Type(DType::i64, {Dim(x.rank())}), std::as_bytes(std::span(last))});
  const Int64s one{1}, window = range(1, x.rank() + 1), first{0};
  const Value inside =
      maximum(minimum(starts, broadcast_in_dim(ends, starts.type(), one)), broadcast(zero, starts.type()));
  const std::vector<Type> elements(2, Type(x.dtype(), {}));
  const auto replace = make_graph(elements, [](Graph&, std::span<const Value> v) { return std::vector{v[1]}; });
  return {scatter(c.batched(0), inside, c.batched(1),
                  {.update_window_dims = window,
                   .inserted_window_dims = {},
                   .input_batching_dims = first,
                   .scatter_indices_batching_dims = first,
                   .scatter_dims_to_operand_dims = window,
                   .index_vector_dim = 1,
                   .indices_are_sorted = true,
                   .unique_indices = true},
                  replace)};
}

}  // namespace weft::ir
