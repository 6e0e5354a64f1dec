#include <weft/ir/ops/batch_dims.h>

#include <numeric>

#include <weft/ir/builder.h>

namespace weft::ir {

Int64s shifted(Ints dims) {
  Int64s result(dims.begin(), dims.end());
  for (std::int64_t& d : result) ++d;
  return result;
}

Int64s prepended(std::int64_t first, Ints list) {
  Int64s result{first};
  result.insert(result.end(), list.begin(), list.end());
  return result;
}

Value move_dim(Value x, int from, int to) {
  Int64s order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(x, order);
}

namespace {

// Returns x with `count` dimensions from `at` on replaced by dimensions of these sizes.
Value with_dims(Value x, std::int64_t at, std::int64_t count, std::initializer_list<std::int64_t> sizes) {
  std::vector<Dim> dims(x.type().dims().begin(), x.type().dims().end());
  dims.erase(dims.begin() + at, dims.begin() + at + count);
  dims.insert(dims.begin() + at, sizes.begin(), sizes.end());
  return reshape(x, dims);
}

}  // namespace

Value fold_batch(Value x, std::int64_t dim, std::int64_t groups) {
  const int d = static_cast<int>(dim);
  const std::int64_t batch = x.size(0), size = x.size(d + 1);
  if (groups == 1) return with_dims(move_dim(x, 0, d), d, 2, {batch * size});
  const Value in_groups = with_dims(x, d + 1, 1, {groups, size / groups});
  return with_dims(move_dim(in_groups, 0, d + 1), d, 3, {groups * batch * (size / groups)});
}

Value unfold_batch(Value x, std::int64_t dim, std::int64_t batch, std::int64_t groups) {
  const int d = static_cast<int>(dim);
  const std::int64_t size = x.size(d) / batch;
  if (groups == 1) return move_dim(with_dims(x, d, 1, {batch, size}), d, 0);
  const Value in_groups = move_dim(with_dims(x, d, 1, {groups, batch, size / groups}), d + 1, 0);
  return with_dims(in_groups, d + 1, 2, {size});
}

}  // namespace weft::ir
