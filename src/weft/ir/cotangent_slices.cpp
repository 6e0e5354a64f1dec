#include <weft/ir/cotangent_slices.h>

#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

bool are_the_whole(const std::vector<CotangentSlice>& sorted, std::int64_t size) {
  std::int64_t end = 0;
  for (const CotangentSlice& slice : sorted) {
    if (slice.start != end) return false;
    end += slice.cotangent.size(slice.dim);
  }
  return end == size;
}

}  // namespace

Value sum_of_slices(Type type, const std::vector<CotangentSlice>& slices) {
  const int dim = slices.front().dim;
  std::vector<CotangentSlice> sorted = slices;
  std::ranges::stable_sort(sorted, {}, &CotangentSlice::start);
  if (sorted.size() > 2 && are_the_whole(sorted, type.size(dim))) {
    std::vector<Value> parts;
    for (const CotangentSlice& slice : sorted) parts.push_back(slice.cotangent);
    return concatenate(parts, dim);
  }
  Value sum;
  for (const CotangentSlice& slice : slices) {
    const Value part = slice.cotangent;
    std::vector<std::int64_t> low(type.rank()), high(type.rank());
    const std::vector<std::int64_t> interior(type.rank());
    low[dim] = slice.start;
    high[dim] = type.size(dim) - slice.start - part.size(dim);
    const Value padded = pad(part, scalar_like(part, 0), low, high, interior);
    sum = sum ? add(sum, padded) : padded;
  }
  return sum;
}

}  // namespace weft::ir
