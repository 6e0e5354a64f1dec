// Functions that find and count elements. How many there are depends on the values, but a tensor's size does not: such results have a
// size that the caller gives, as in JAX, and `count` tells how many elements of them are real; what does not fit is left out.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/operand.h>
#include <weft/tensor/shape.h>
#include <weft/tensor/tensor.h>

namespace weft {

struct Nonzero {
  Tensor
      indices;  // i32 [size, rank of x]: of the elements that are not 0, in row-major order; rows from `count` on are -1
  Tensor count;  // i32, at most `size`
  void fields(auto&& field) {
    field("indices", indices);
    field("count", count);
  }
};
Nonzero nonzero(const Operand& x, std::int64_t size);

// Returns the elements of x where the mask, of the same shape, is true, in row-major order: [size], with `fill` after the last one.
Tensor masked_select(const Operand& x, const Operand& mask, std::int64_t size, const Operand& fill = 0);

struct Unique {
  Tensor values;   // [size], in ascending order; the smallest one again from `count` on
  Tensor inverse;  // i32, of the shape of x: the position of each element among the values
  Tensor counts;   // i32 [size]: how often each value occurs
  Tensor count;    // i32: how many values there are, even if they do not fit
  void fields(auto&& field) {
    field("values", values);
    field("inverse", inverse);
    field("counts", counts);
    field("count", count);
  }
};
Unique unique(const Operand& x, std::int64_t size);

// Returns for each value the first position, i32, at which it can be inserted into an ascending vector so that it stays so; with `right`,
// the last one. (searchsorted, bucketize, digitize)
Tensor searchsorted(const Operand& sorted, const Operand& values, bool right = false);

// Whether each element is one of the values; NaN is none.
Tensor isin(const Operand& x, const Operand& values);

// Returns how often each integer from 0 to length - 1 occurs in a vector: i64 [length], or the sums of the weights of its occurrences.
// Other integers are not counted.
Tensor bincount(const Operand& x, std::int64_t length);
Tensor bincount(const Operand& x, std::int64_t length, const Operand& weights);

// Counts the elements in bins of equal width from low to high, both included; others, and NaN, are not counted. The counts have the dtype
// of x. Without bounds, these are the least and the greatest element. (torch.histc)
Tensor histc(const Operand& x, std::int64_t bins, double low, double high);
Tensor histc(const Operand& x, std::int64_t bins = 100);

// Returns, for each segment, the sum of the values [n, ...] whose number in `segments`, integers [n], is its own: [count, ...]. Values of
// other numbers are left out. (jax.ops.segment_sum)
Tensor segment_sum(const Operand& values, const Operand& segments, std::int64_t count);
Tensor segment_mean(const Operand& values, const Operand& segments,
                    std::int64_t count);  // 0 for a segment without values
// A segment without values gets 1, or the lowest or the highest number of the dtype: -inf and inf for floating point.
Tensor segment_prod(const Operand& values, const Operand& segments, std::int64_t count);
Tensor segment_max(const Operand& values, const Operand& segments, std::int64_t count);
Tensor segment_min(const Operand& values, const Operand& segments, std::int64_t count);

// The q-th quantile, for q from 0 to 1, along an axis, or of all elements; between two elements, it is interpolated. NaN if an element is
// NaN. Several q, a vector, give a first dimension of the result. (torch.quantile)
Tensor quantile(const Operand& x, const Operand& q, std::optional<std::int64_t> axis = {}, bool keepdim = false);
Tensor median(const Operand& x, std::optional<std::int64_t> axis = {},
              bool keepdim = false);  // the mean of both middle ones

// The covariances of variables, which are the rows of x [variables, observations]; the divisor is the number of observations minus
// `correction`. A vector is one variable. Correlations are covariances divided by both standard deviations, within [-1, 1].
Tensor cov(const Operand& x, int correction = 1);
Tensor corrcoef(const Operand& x);

}  // namespace weft
