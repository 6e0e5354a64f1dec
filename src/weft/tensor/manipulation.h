// Functions that move elements: change shapes, take parts, join and split. Negative dimensions count from the end.
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
// Removes these dimensions, which must have size 1; without `axes`, removes all dimensions of size 1.
Tensor squeeze(const Operand& x, const Axes& axes = {});
Tensor unsqueeze(const Operand& x, std::int64_t axis);  // inserts a dimension of size 1 at this position of the result
Tensor broadcast_to(const Operand& x, const Shape& shape);
// Dimension i of the result is dimension permutation[i] of x.
Tensor permute(const Operand& x, const Axes& permutation);
Tensor transpose(const Operand& x, std::int64_t a = -2, std::int64_t b = -1);  // exchanges two dimensions
Tensor movedim(const Operand& x, const Axes& from,
               const Axes& to);  // dimension from[i] becomes to[i]; the others keep their order
Tensor unflatten(const Operand& x, std::int64_t axis,
                 const Shape& shape);  // the inverse of flatten; one size may be -1

// Parts. As in Python, a negative start or stop counts from the end, and both are clamped to the size.
inline constexpr std::int64_t to_end = std::numeric_limits<std::int64_t>::max();
struct Slice {
  std::int64_t start = 0, stop = to_end, step = 1;
};
Tensor slice(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t stop = to_end,
             std::int64_t step = 1);
Tensor narrow(const Operand& x, std::int64_t axis, std::int64_t start, std::int64_t length);  // must lie within x
Tensor select(const Operand& x, std::int64_t axis, std::int64_t index);                       // removes the dimension
// x[i, start:stop, ...]: index(x, {2, Slice{1, 3}, Slice{}}); dimensions after the given ones are kept whole.
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
// Parts at positions given as tensors: `starts` holds one integer of rank 0 per dimension. A part that would extend
// over the edge is moved inside.
Tensor dynamic_slice(const Operand& x, std::span<const Tensor> starts, const Shape& sizes);
Tensor dynamic_update_slice(const Operand& x, const Operand& update, std::span<const Tensor> starts);

// Joining and splitting. concatenate and stack promote their operands to one dtype.
Tensor concatenate(std::span<const Tensor> parts, std::int64_t axis = 0,
                   std::source_location where = std::source_location::current());
Tensor concatenate(std::initializer_list<Tensor> parts, std::int64_t axis = 0,
                   std::source_location where = std::source_location::current());
Tensor stack(std::span<const Tensor> parts, std::int64_t axis = 0,
             std::source_location where = std::source_location::current());
Tensor stack(std::initializer_list<Tensor> parts, std::int64_t axis = 0,
             std::source_location where = std::source_location::current());
// Splits into pieces of this size; the last may be smaller.
std::vector<Tensor> split(const Operand& x, std::int64_t size, std::int64_t axis = 0);
std::vector<Tensor> split(const Operand& x, const std::vector<std::int64_t>& sizes, std::int64_t axis = 0);
std::vector<Tensor> chunk(const Operand& x, std::int64_t pieces, std::int64_t axis = 0);  // pieces of equal size
std::vector<Tensor> unbind(const Operand& x, std::int64_t axis = 0);  // the parts at each index, without the dimension

// Others
Tensor flip(const Operand& x, const Axes& axes);
// Adds elements before and after each of the last dimensions, {{before, after}, ...}; negative widths remove elements.
Tensor pad(const Operand& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, const Operand& value = 0);
Tensor pad(const Operand& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths,
           const Operand& value = 0);
// The same with elements of x: mirrored at its edges, which are not repeated; those at the edges; or those of the other side.
enum class PadMode : std::uint8_t { reflect, replicate, circular };
Tensor pad(const Operand& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, PadMode mode);
Tensor pad(const Operand& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths, PadMode mode);
// Repeats each element along the axis `times` times in a row.
Tensor repeat(const Operand& x, std::int64_t times, std::int64_t axis);
// Repeats element i along the axis times[i] times. (torch.repeat_interleave)
Tensor repeat(const Operand& x, const std::vector<std::int64_t>& times, std::int64_t axis);
Tensor tile(const Operand& x, std::int64_t times, std::int64_t axis);  // repeats the whole axis
Tensor roll(const Operand& x, std::int64_t shift, std::int64_t axis);  // element i moves to i + shift, cyclically
// Rotates the plane of two dimensions k times by 90 degrees, from the first one towards the second.
Tensor rot90(const Operand& x, std::int64_t k = 1, std::int64_t from = 0, std::int64_t to = 1);
// For vectors of sizes m, n...: tensors [m, n, ...], of which the i-th has the elements of the i-th vector along dimension i.
// (torch.meshgrid with indexing="ij")
std::vector<Tensor> meshgrid(std::span<const Tensor> vectors,
                             std::source_location where = std::source_location::current());
std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors,
                             std::source_location where = std::source_location::current());
// The windows of this size along the axis, at every `step`: a new last dimension holds the elements of a window. (torch.Tensor.unfold)
Tensor unfold(const Operand& x, std::int64_t axis, std::int64_t size, std::int64_t step);

// Keeps the part of the last two dimensions on and below (tril) or above (triu) the diagonal; the rest is zero.
Tensor tril(const Operand& x, std::int64_t diagonal = 0);
Tensor triu(const Operand& x, std::int64_t diagonal = 0);
// Booleans [queries, keys], true where query i may see key j; the last query sees all keys.
Tensor causal_mask(std::int64_t queries, std::int64_t keys,
                   std::source_location where = std::source_location::current());

}  // namespace weft
