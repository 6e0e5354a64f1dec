#include <weft/ir/cotangent_slices.h>

#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

// Slices of which each begins where the one before ends.
struct Run {
  std::int64_t start, end;
  std::vector<Value> parts;
};

Value padded(const Run& run, int dim, Type type) {
  const Value joined = run.parts.size() == 1 ? run.parts[0] : concatenate(run.parts, dim);
  std::vector<std::int64_t> low(type.rank()), high(type.rank()), interior(type.rank());
  low[dim] = run.start;
  high[dim] = type.size(dim) - run.end;
  return low[dim] == 0 && high[dim] == 0 ? joined : pad(joined, scalar_like(joined, 0), low, high, interior);
}

}  // namespace

Value sum_of_slices(Type type, std::vector<CotangentSlice> slices) {
  const int dim = slices.front().dim;
  std::ranges::stable_sort(slices, {}, &CotangentSlice::start);
  std::vector<Run> runs;
  for (const CotangentSlice& slice : slices) {
    const std::int64_t end = slice.start + slice.cotangent.size(dim);
    const auto before = std::ranges::find(runs, slice.start, &Run::end);
    if (before == runs.end()) {
      runs.push_back({slice.start, end, {slice.cotangent}});
    } else {
      before->parts.push_back(slice.cotangent);
      before->end = end;
    }
  }
  Value sum;
  for (const Run& run : runs) {
    const Value whole = padded(run, dim, type);
    sum = sum ? add(sum, whole) : whole;
  }
  return sum;
}

}  // namespace weft::ir
