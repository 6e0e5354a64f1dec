// Batching rules of reductions, and of ops that go over windows: the batch is a dimension with windows of one element. What starts at
// another value for each example is computed in a loop.
#include <weft/ir/builder.h>
#include <weft/ir/ops/batch_dims.h>
#include <weft/ir/ops/indexing.h>
#include <weft/ir/ops/reduction.h>

namespace weft::ir {

namespace {

// Returns the operands with all but the initial values, the last `inits`, batched.
std::vector<Value> with_plain_inits(const BatchCall& c, int inits) {
  std::vector<Value> values = c.all_batched();
  for (int i = static_cast<int>(values.size()) - inits; i < std::ssize(values); ++i) values[i] = c.x(i);
  return values;
}

Int64s with_unpadded_batch(Ints padding) { return padding.empty() ? Int64s() : prepended(0, prepended(0, padding)); }
Int64s of_one(Ints list) { return list.empty() ? Int64s() : prepended(1, list); }

}  // namespace

std::vector<Batched> batch_reduce(const BatchCall& c) {
  const int count = static_cast<int>(c.operands.size()) / 2;
  if (c.any_batched(count, 2 * count)) return batch_by_loop(c);
  const Int64s dimensions = shifted(c.attributes<DimensionsAttributes>().dimensions);
  const DimensionsAttributes attributes{dimensions};
  return c.append(with_plain_inits(c, count), &attributes);
}

std::vector<Batched> batch_reduce_window(const BatchCall& c) {
  const int count = static_cast<int>(c.operands.size()) / 2;
  if (c.any_batched(count, 2 * count)) return batch_by_loop(c);
  const auto& a = c.attributes<ReduceWindowAttributes>();
  const Int64s window = prepended(1, a.window_dimensions), strides = of_one(a.window_strides),
               base_dilations = of_one(a.base_dilations), window_dilations = of_one(a.window_dilations),
               padding = with_unpadded_batch(a.padding);
  const ReduceWindowAttributes attributes{window, strides, base_dilations, window_dilations, padding};
  return c.append(with_plain_inits(c, count), &attributes);
}

std::vector<Batched> batch_select_and_scatter(const BatchCall& c) {
  if (c.is_batched(2)) return batch_by_loop(c);
  const auto& a = c.attributes<SelectAndScatterAttributes>();
  const Int64s window = prepended(1, a.window_dimensions), strides = of_one(a.window_strides),
               padding = with_unpadded_batch(a.padding);
  const SelectAndScatterAttributes attributes{window, strides, padding};
  return c.append(with_plain_inits(c, 1), &attributes);
}

std::vector<Batched> batch_sort(const BatchCall& c) {
  SortAttributes attributes = c.attributes<SortAttributes>();
  if (attributes.dimension >= 0) ++attributes.dimension;  // negative dimensions count from the end
  return c.append(c.all_batched(), &attributes);
}

}  // namespace weft::ir
