#include <weft/ir/legalize/expand.h>

#include <weft/ir/builder.h>

namespace weft::ir::legalize {

Value slice_in_dim(Value x, std::int64_t start, std::int64_t limit, std::int64_t stride, int dimension) {
  const auto rank = static_cast<std::size_t>(x.rank()), along = static_cast<std::size_t>(dimension);
  std::vector<std::int64_t> starts(rank, 0), limits(rank), strides(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) limits[d] = x.size(d);
  starts[along] = start;
  limits[along] = limit;
  strides[along] = stride;
  return slice(x, starts, limits, strides);
}

std::vector<Value> first_k(std::span<const Value> x, std::int64_t dimension, std::int64_t k,
                           std::shared_ptr<const Graph> before) {
  const Type type = x[0].type();
  require(dimension >= 0 && dimension < type.rank(), "there is no dimension ", dimension, " in ", type);
  require(k >= 0 && k <= type.size(dimension), "k = ", k, " is not within dimension ", dimension, " of ", type);
  std::vector<Value> sorted = sort(x, dimension, true, std::move(before));
  for (Value& v : sorted) v = slice_in_dim(v, 0, k, 1, dimension);
  return sorted;
}

}  // namespace weft::ir::legalize
