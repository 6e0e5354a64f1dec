// Functions of many elements: sums, extremes, moments, scans and orders. `axes` are the dimensions that are reduced, all of them
// when none are given; keepdim leaves them with size 1. Sums and means of 16-bit floats are accumulated wider.
#pragma once

#include <utility>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Sums and products of integers and booleans are i64, of u64 u64: those of narrow types would soon overflow (PyTorch). The sum of
// booleans is the number of those that are true.
Tensor sum(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor prod(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor mean(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // of integers and booleans: f32
// The variance with `correction` taken from the number of elements in the divisor: 1 as in PyTorch, 0 as in NumPy and JAX.
Tensor var(const Operand& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);
Tensor stddev(const Operand& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);
Tensor norm(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // Euclidean
Tensor max(const Operand& x, const Axes& axes = {}, bool keepdim = false);   // NaN if any is
Tensor min(const Operand& x, const Axes& axes = {}, bool keepdim = false);
Tensor any(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // is any not 0?
Tensor all(const Operand& x, const Axes& axes = {}, bool keepdim = false);  // is none 0?
Tensor logsumexp(const Operand& x, const Axes& axes = {}, bool keepdim = false);

// The place (i32) of the largest or least element, the first of equal ones; NaN counts as larger and less than all.
Tensor argmax(const Operand& x, std::int64_t axis = -1, bool keepdim = false);
Tensor argmin(const Operand& x, std::int64_t axis = -1, bool keepdim = false);

Tensor cumsum(const Operand& x, std::int64_t axis = -1);  // element i: the sum of elements 0 to i; of the dtypes of sum

// Stable. NaN comes last in ascending order.
Tensor sort(const Operand& x, std::int64_t axis = -1, bool descending = false);
Tensor argsort(const Operand& x, std::int64_t axis = -1, bool descending = false);  // i32
struct TopK {
  Tensor values, indices;  // the k largest of the last dimension in descending order, and their places (i32)
  void fields(auto&& field) {
    field("values", values);
    field("indices", indices);
  }
};
TopK topk(const Operand& x, std::int64_t k);

}  // namespace weft
