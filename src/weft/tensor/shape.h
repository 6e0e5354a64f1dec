// Argument types for shapes and dimensions: Shape is a list of sizes, Axes a list of dimensions. Both are made from
// braces, numbers or spans and need no heap memory.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/inline_list.h>
#include <weft/base/type.h>

namespace weft {

// A list of sizes: {2, 3}, a vector of numbers, or the shape of another tensor. Where documented, one size may be -1
// and is then inferred.
class Shape : public InlineList<Dim> {
 public:
  // Stands for a size of -1; no Type contains it.
  static constexpr Dim inferred = Dim(std::numeric_limits<std::int64_t>::min());

  struct Size {
    Dim dim;
    Size(std::integral auto size) : dim(static_cast<std::int64_t>(size)) {  // NOLINT
      if (std::cmp_equal(size, -1)) {
        dim = inferred;
      } else {
        require(!std::cmp_less(size, 0), "a size cannot be negative, got ", size);
      }
    }
    Size(Dim size) : dim(size) {}  // NOLINT
  };

  Shape() = default;
  Shape(std::initializer_list<Size> sizes) {
    for (const Size& size : sizes) push_back(size.dim);
  }
  Shape(std::span<const Dim> sizes) : InlineList(sizes) {}  // NOLINT: the dims of a Type are a Shape
  Shape(const std::vector<std::int64_t>& sizes) {           // NOLINT
    for (const std::int64_t size : sizes) push_back(Size(size).dim);
  }

  int rank() const { return size_; }
  operator std::span<const Dim>() const { return {begin(), size()}; }  // NOLINT
  friend bool operator==(const Shape& a, const Shape& b) { return std::ranges::equal(a, b); }
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);  // [2, 3]
};

// A list of dimensions, where negative ones count from the end: 1, {0, -1}, or empty for all dimensions where
// documented.
class Axes : public InlineList<std::int64_t> {
 public:
  Axes() = default;
  Axes(std::integral auto axis) { push_back(axis); }  // NOLINT
  Axes(std::initializer_list<std::int64_t> axes) : InlineList(axes) {}
  Axes(std::span<const std::int64_t> axes) : InlineList(axes) {}                // NOLINT
  Axes(const std::vector<std::int64_t>& axes) : InlineList(std::span(axes)) {}  // NOLINT

  operator std::span<const std::int64_t>() const { return {begin(), size()}; }  // NOLINT
};

// Returns the axis in [0, rank). Throws Error, which starts with `function`, if it is out of range.
std::int64_t normalize_axis(std::int64_t axis, int rank, const char* function);
// Normalises each axis and sorts them; throws Error if one occurs twice.
Axes normalize_axes(const Axes& axes, int rank, const char* function);

// Computes the shape to which NumPy broadcasts two shapes: aligned at the last dimension, a size of 1 stretches.
// Returns false if they do not broadcast.
bool broadcast_shapes(std::span<const Dim> a, std::span<const Dim> b, Shape& result);

}  // namespace weft
