// Functions that move elements: shapes, parts and joins. Dimensions may be counted from the end.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Shape
Tensor reshape(const Operand& x, const Shape& shape);  // row-major; one size may be -1
Tensor flatten(const Operand& x, std::int64_t start_axis = 0, std::int64_t end_axis = -1);
Tensor squeeze(const Operand& x,
               const Axes& axes = {});  // without these dimensions of size 1; none given: without all such
Tensor unsqueeze(const Operand& x, std::int64_t axis);  // with a dimension of size 1 at this place of the result
Tensor broadcast_to(const Operand& x, const Shape& shape);
Tensor permute(const Operand& x,
               const Axes& permutation);  // dimension i of the result is dimension permutation[i] of x
Tensor transpose(const Operand& x, std::int64_t a = -2, std::int64_t b = -1);  // with two dimensions exchanged

// Parts. As in Python, start and stop may be negative (from the end) and are cut to the size.
inline constexpr std::int64_t to_end = std::numeric_limits<std::int64_t>::max();
struct Slice {
  std::int64_t start = 0, stop = to_end, step = 1;
};
Tensor slice(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t stop = to_end,
             std::int64_t step = 1);
Tensor narrow(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t length);  // must lie inside
Tensor select(const Operand& x, std::int64_t axis, std::int64_t index);                       // without that dimension
// x[i, start:stop, ...]: index(x, {2, Slice{1, 3}, Slice{}}); the dimensions that follow are kept whole.
class Index {
 public:
  Index(std::integral auto at) : slice_{static_cast<std::int64_t>(at)}, is_slice_(false) {}  // NOLINT
  Index(Slice slice) : slice_(slice) {}                                                      // NOLINT
  bool is_slice() const { return is_slice_; }
  const Slice& slice() const { return slice_; }
  std::int64_t position() const { return slice_.start; }

 private:
  Slice slice_;
  bool is_slice_ = true;
};
Tensor index(const Operand& x, std::initializer_list<Index> indices);
// Parts whose place is data: `starts` holds a rank-0 integer per dimension. Places that reach over the edge are moved inside.
Tensor dynamic_slice(const Operand& x, std::span<const Tensor> starts, const Shape& sizes);
Tensor dynamic_update_slice(const Operand& x, const Operand& update, std::span<const Tensor> starts);

// Joins and splits. Operands of concatenate and stack are promoted to one type.
Tensor concatenate(std::span<const Tensor> parts, std::int64_t axis = 0,
                   std::source_location where = std::source_location::current());
Tensor concatenate(std::initializer_list<Tensor> parts, std::int64_t axis = 0,
                   std::source_location where = std::source_location::current());
Tensor stack(std::span<const Tensor> parts, std::int64_t axis = 0,
             std::source_location where = std::source_location::current());
Tensor stack(std::initializer_list<Tensor> parts, std::int64_t axis = 0,
             std::source_location where = std::source_location::current());
std::vector<Tensor> split(const Operand& x, std::int64_t size,
                          std::int64_t axis = 0);  // pieces of this size, the last may be smaller
std::vector<Tensor> split(const Operand& x, const std::vector<std::int64_t>& sizes, std::int64_t axis = 0);
std::vector<Tensor> chunk(const Operand& x, std::int64_t pieces, std::int64_t axis = 0);  // of equal size

// Others
Tensor flip(const Operand& x, const Axes& axes);
// Elements added before and after each of the last dimensions, {{before, after}, ...}; negative: taken away.
Tensor pad(const Operand& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, const Operand& value = 0);
Tensor pad(const Operand& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths,
           const Operand& value = 0);
Tensor repeat(const Operand& x, std::int64_t times,
              std::int64_t axis);  // every element of the dimension `times` times in a row
Tensor tile(const Operand& x, std::int64_t times, std::int64_t axis);  // the whole dimension `times` times
Tensor roll(const Operand& x, std::int64_t shift, std::int64_t axis);  // element i moves to i + shift, around the end

// Of the last two dimensions, the part on and below (tril) or above (triu) the diagonal; the rest is zero.
Tensor tril(const Operand& x, std::int64_t diagonal = 0);
Tensor triu(const Operand& x, std::int64_t diagonal = 0);
// Booleans [queries, keys], true where query i may see key j: j <= i, the last query seeing the last key.
Tensor causal_mask(std::int64_t queries, std::int64_t keys,
                   std::source_location where = std::source_location::current());

}  // namespace weft
