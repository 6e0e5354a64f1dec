#include <weft/ir/cotangent_slices.h>

#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

bool overlap(const std::vector<CotangentSlice>& sorted) {
  std::int64_t end = 0;
  for (const CotangentSlice& slice : sorted) {
    if (slice.start < end) return true;
    end = slice.start + slice.cotangent.size(slice.dim);
  }
  return false;
}

// Returns the slices one after the other, with zeros where there are none.
Value joined(Type type, const std::vector<CotangentSlice>& sorted) {
  const int dim = sorted.front().dim;
  std::vector<Value> parts;
  std::int64_t end = 0;
  const auto fill_up_to = [&](std::int64_t start) {
    if (start == end) return;
    std::vector<Dim> dims(type.dims().begin(), type.dims().end());
    dims[dim] = start - end;
    parts.push_back(constant(sorted.front().cotangent.graph(), Type(type.dtype(), dims), 0));
  };
  for (const CotangentSlice& slice : sorted) {
    fill_up_to(slice.start);
    parts.push_back(slice.cotangent);
    end = slice.start + slice.cotangent.size(dim);
  }
  fill_up_to(type.size(dim));
  return concatenate(parts, dim);
}

}  // namespace

Value sum_of_slices(Type type, const std::vector<CotangentSlice>& slices) {
  const int dim = slices.front().dim;
  std::vector<CotangentSlice> sorted = slices;
  std::ranges::stable_sort(sorted, {}, &CotangentSlice::start);
  if (sorted.size() > 2 && !overlap(sorted)) return joined(type, sorted);
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
