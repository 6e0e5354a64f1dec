// Reductions (sums, extremes, moments), scans and sorting. `axes` are the reduced dimensions; without them, all
// dimensions are reduced. With keepdim, the reduced dimensions stay with size 1. Sums and means of 16-bit floats
// accumulate in a wider dtype.
#pragma once

#include <utility>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Sums and products of integers and booleans are i64, those of u64 are u64, because narrow dtypes would overflow (as in
// PyTorch). The sum of booleans is the number of true elements.
Tensor sum(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor prod(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor mean(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // f32 for integers and booleans
// The variance, whose divisor is the number of elements minus `correction`: 1 as in PyTorch, 0 as in NumPy and JAX.
Tensor var(const Operand& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);
Tensor stddev(const Operand& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);
Tensor norm(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // the Euclidean norm
Tensor max(const Operand& x, const Axes& axes = {}, bool keepdim = false);   // NaN if any element is NaN
Tensor min(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor any(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // whether any element is nonzero
Tensor all(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // whether all elements are nonzero
Tensor logsumexp(const Operand& x, const Axes& axes = {}, bool keepdim = false);
// Sums and means of the elements that are not NaN. The mean of none is NaN.
Tensor nansum(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor nanmean(const Operand& x, const Axes& axes = {}, bool keepdim = false);

// The index (i32) of the largest or smallest element, the first one among equals. NaN counts as the largest for argmax
// and as the smallest for argmin.
Tensor argmax(const Operand& x, std::int64_t axis = -1, bool keepdim = false);
Tensor argmin(const Operand& x, std::int64_t axis = -1, bool keepdim = false);

Tensor cumsum(const Operand& x, std::int64_t axis = -1);   // element i is the sum of elements 0 to i; dtype as for sum
Tensor cumprod(const Operand& x, std::int64_t axis = -1);  // the product of elements 0 to i; dtype as for prod
Tensor logcumsumexp(const Operand& x,
                    std::int64_t axis = -1);  // the logarithm of the sum of exponentials of elements 0 to i

// Values along an axis, and their indices along it (i32).
struct Indexed {
  Tensor values, indices;
  void fields(auto&& field) {
    field("values", values);
    field("indices", indices);
  }
};
// Element i is the largest or smallest of elements 0 to i, with the last index among equals; NaN from the first NaN on.
Indexed cummax(const Operand& x, std::int64_t axis = -1);
Indexed cummin(const Operand& x, std::int64_t axis = -1);
// x[i + 1] - x[i], n times; of booleans, whether they differ.
Tensor diff(const Operand& x, std::int64_t n = 1, std::int64_t axis = -1);

// Sorting is stable. -0 and 0 are equal. NaN, of either sign, comes last in ascending order.
Tensor sort(const Operand& x, std::int64_t axis = -1, bool descending = false);
Tensor argsort(const Operand& x, std::int64_t axis = -1, bool descending = false);  // i32
struct TopK {
  Tensor values, indices;  // the k largest along the last dimension in descending order, and their indices (i32)
  void fields(auto&& field) {
    field("values", values);
    field("indices", indices);
  }
};
TopK topk(const Operand& x, std::int64_t k);
// The k-th smallest element, counted from 1, and its index: the first one among equals. NaN is the largest. (torch.kthvalue)
Indexed kthvalue(const Operand& x, std::int64_t k, std::int64_t axis = -1, bool keepdim = false);

}  // namespace weft
