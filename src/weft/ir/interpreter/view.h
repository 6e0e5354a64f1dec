// Iterates over elements. A View describes a box of elements of an array, with any strides; it does not hold the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <weft/ir/array.h>

namespace weft::ir::interpreter {

// An index, or one number per dimension. Everything in this file counts in elements, not bytes.
using Index = std::vector<std::int64_t>;

Index sizes_of(Type type);
Index strides_of(Type type);  // row-major

// Element `index` of the box lies at offset + sum(index * strides).
struct View {
  std::int64_t offset = 0;
  Index sizes, strides;

  std::int64_t size() const;
};

View whole(Type type);
// Returns the view whose dimension i is dimension order[i] of `view`.
View permuted(const View& view, std::span<const std::int64_t> order);

// Calls f(offset in a, offset in b) for every index of two views of equal sizes, in row-major order.
template <class F>
void for_each(const View& a, const View& b, F&& f) {
  const std::size_t rank = a.sizes.size();
  if (a.size() == 0) return;
  Index index(rank, 0);
  std::int64_t at = a.offset, bt = b.offset;
  while (true) {
    f(at, bt);
    std::size_t d = rank;
    while (d > 0 && ++index[d - 1] == a.sizes[d - 1]) {
      --d;
      at -= (a.sizes[d] - 1) * a.strides[d];
      bt -= (a.sizes[d] - 1) * b.strides[d];
      index[d] = 0;
    }
    if (d == 0) return;
    at += a.strides[d - 1];
    bt += b.strides[d - 1];
  }
}

// Calls f(index) for every index of a box of these sizes, in row-major order.
template <class F>
void for_each_index(std::span<const std::int64_t> sizes, F&& f) {
  for (const std::int64_t size : sizes)
    if (size == 0) return;
  Index index(sizes.size(), 0);
  while (true) {
    f(static_cast<const Index&>(index));
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// Returns the offset of an index under these strides.
std::int64_t dot(std::span<const std::int64_t> index, std::span<const std::int64_t> strides);

// Copies the elements of `source` under the view `from` to those of `target` under `to`. Both have the same dtype and equal sizes.
void copy(const Array& source, const View& from, Array& target, const View& to);

// Returns an array of this type with every element equal to the rank-0 array `value`.
Array filled(Type type, const Array& value);

// Concatenates arrays that differ at most in the size of that dimension.
Array concatenated(std::span<const Array* const> parts, std::int64_t dimension);

// The layout of one dimension of pad: element i of the operand goes to low + i * step, for i in [first, first + count). Negative
// padding crops the other elements.
struct PaddedDimension {
  std::int64_t first = 0, count = 0, start = 0;  // start: the position of element `first`
};
PaddedDimension pad_dimension(std::int64_t size, std::int64_t low, std::int64_t step, std::int64_t result);

// Returns the operand with `low` elements before it and step - 1 elements between its own, all equal to the rank-0 array `value`.
Array padded(const Array& x, const Array& value, std::span<const std::int64_t> low, std::span<const std::int64_t> steps,
             Type result);

}  // namespace weft::ir::interpreter
