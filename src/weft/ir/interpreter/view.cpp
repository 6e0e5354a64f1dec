#include <weft/ir/interpreter/view.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace weft::ir::interpreter {

namespace {

template <std::int64_t width>
void copy_elements(const std::byte* source, const View& from, std::byte* target, const View& to) {
  for_each(from, to,
           [&](std::int64_t at, std::int64_t bt) { std::memcpy(target + bt * width, source + at * width, width); });
}

}  // namespace

Index sizes_of(Type type) {
  Index sizes;
  for (const Dim d : type.dims()) sizes.push_back(d.value());
  return sizes;
}

Index strides_of(Type type) {
  Index strides(type.dims().size());
  row_major_strides(type.dims(), strides);
  return strides;
}

std::int64_t View::size() const {
  return std::reduce(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

View whole(Type type) { return {0, sizes_of(type), strides_of(type)}; }

View permuted(const View& view, std::span<const std::int64_t> order) {
  View result{view.offset, {}, {}};
  for (const std::int64_t d : order) {
    result.sizes.push_back(view.sizes[d]);
    result.strides.push_back(view.strides[d]);
  }
  return result;
}

std::int64_t dot(std::span<const std::int64_t> index, std::span<const std::int64_t> strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

void copy(const Array& source, const View& from, Array& target, const View& to) {
  const std::byte* s = source.bytes().data();
  std::byte* t = target.bytes().data();
  switch (byte_size(source.dtype())) {
    case 0: return;
    case 1: return copy_elements<1>(s, from, t, to);
    case 2: return copy_elements<2>(s, from, t, to);
    case 4: return copy_elements<4>(s, from, t, to);
    default: return copy_elements<8>(s, from, t, to);
  }
}

Array filled(Type type, const Array& value) {
  Array result(type);
  const View to = whole(type);
  copy(value, {0, to.sizes, Index(to.sizes.size(), 0)}, result, to);
  return result;
}

Array concatenated(std::span<const Array* const> parts, std::int64_t dimension) {
  const std::size_t d = dimension;
  std::vector<Dim> dims(parts[0]->type().dims().begin(), parts[0]->type().dims().end());
  dims[d] = 0;
  for (const Array* part : parts) dims[d] = dims[d] + part->type().dims()[d];
  Array result(Type(parts[0]->dtype(), dims));
  View to = whole(result.type());
  for (const Array* part : parts) {
    const View from = whole(part->type());
    to.sizes = from.sizes;
    copy(*part, from, result, to);
    to.offset += from.sizes[d] * to.strides[d];
  }
  return result;
}

PaddedDimension pad_dimension(std::int64_t size, std::int64_t low, std::int64_t step, std::int64_t result) {
  const std::int64_t first = low < 0 ? std::min(size, (-low + step - 1) / step) : 0;
  const std::int64_t start = low + first * step;
  const std::int64_t room = start < result ? (result - 1 - start) / step + 1 : 0;
  return {first, std::min(size - first, room), start};
}

Array padded(const Array& x, const Array& value, std::span<const std::int64_t> low, std::span<const std::int64_t> steps,
             Type type) {
  Array result = filled(type, value);
  View from = whole(x.type()), to = whole(type);
  for (std::size_t d = 0; d < low.size(); ++d) {
    const PaddedDimension p = pad_dimension(from.sizes[d], low[d], steps[d], to.sizes[d]);
    from.offset += p.first * from.strides[d];
    to.offset += p.start * to.strides[d];
    from.sizes[d] = to.sizes[d] = p.count;
    to.strides[d] *= steps[d];
  }
  copy(x, from, result, to);
  return result;
}

}  // namespace weft::ir::interpreter
