#include <vector>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft {

namespace {

// Returns the tensor of a scan and its axis. Throws Error if there is none.
Tensor scanned(detail::Frame& frame, const Operand& x, std::int64_t& axis) {
  const Tensor value = frame.tensor(frame.value(x));
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  axis = frame.axis(axis, value.rank());
  return value;
}

// Replaces each element of the tensors by the combination of the elements 0 to i. Combines the results of twice as many elements in every
// step: combine(those before, those of element i).
template <class Combine>
std::vector<Tensor> scan_by_doubling(std::vector<Tensor> values, std::int64_t axis, Combine&& combine) {
  const std::int64_t n = values[0].size(axis);
  for (std::int64_t step = 1; step < n; step *= 2) {
    std::vector<Tensor> before, own;
    for (const Tensor& value : values) {
      before.push_back(slice(value, axis, 0, n - step));
      own.push_back(slice(value, axis, step));
    }
    const std::vector<Tensor> combined = combine(before, own);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = concatenate({slice(values[i], axis, 0, step), combined[i]}, axis);
  }
  return values;
}

Indexed running_extreme(const char* function, const Operand& x, std::int64_t axis, bool of_largest) {
  detail::Frame frame(function, x);
  const Tensor value = scanned(frame, x, axis);
  const auto better = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& own) {
    const Tensor is_better = of_largest ? own[0] >= before[0] : own[0] <= before[0];
    const Tensor takes_own = logical_or(isnan(own[0]), logical_and(is_better, !isnan(before[0])));
    return std::vector{where(takes_own, own[0], before[0]), where(takes_own, own[1], before[1])};
  };
  const Tensor indices = scan_by_doubling({stop_gradient(value), iota(value.shape(), axis)}, axis, better)[1];
  return {gather(value, axis, indices), indices};
}

}  // namespace

Indexed cummax(const Operand& x, std::int64_t axis) { return running_extreme("cummax", x, axis, true); }
Indexed cummin(const Operand& x, std::int64_t axis) { return running_extreme("cummin", x, axis, false); }

Tensor logcumsumexp(const Operand& x, std::int64_t axis) {
  detail::Frame frame("logcumsumexp", x);
  const Tensor value = scanned(frame, {frame.tensor(detail::floating(frame, x)), x.where()}, axis);
  const Tensor wide = value.to(detail::compute_dtype(value.dtype()));
  const auto sums =
      scan_by_doubling({wide}, axis, [](const std::vector<Tensor>& before, const std::vector<Tensor>& own) {
        return std::vector{logaddexp(before[0], own[0])};
      });
  return sums[0].to(value.dtype());
}

Tensor diff(const Operand& x, std::int64_t n, std::int64_t axis) {
  detail::Frame frame("diff", x);
  Tensor value = scanned(frame, x, axis);
  frame.require(n >= 0, "n cannot be negative, got ", n);
  for (std::int64_t i = 0; i < n; ++i) {
    const Tensor later = slice(value, axis, 1), earlier = slice(value, axis, 0, -1);
    value = value.dtype() == DType::boolean ? later != earlier : later - earlier;
  }
  return value;
}

Indexed kthvalue(const Operand& x, std::int64_t k, std::int64_t axis, bool keepdim) {
  detail::Frame frame("kthvalue", x);
  const Tensor value = scanned(frame, x, axis);
  frame.require(k >= 1 && k <= value.size(axis), "k = ", k, " is out of range for ", value.type());
  const Tensor indices = narrow(argsort(value, axis), axis, k - 1, 1), values = gather(value, axis, indices);
  return keepdim ? Indexed{values, indices} : Indexed{squeeze(values, axis), squeeze(indices, axis)};
}

Tensor nansum(const Operand& x, const Axes& axes, bool keepdim) {
  detail::Frame frame("nansum", x);
  const Tensor value = frame.tensor(frame.value(x));
  return sum(where(isnan(value), constant(0, value.dtype()), value), axes, keepdim);
}

Tensor nanmean(const Operand& x, const Axes& axes, bool keepdim) {
  detail::Frame frame("nanmean", x);
  const Tensor value = frame.tensor(detail::floating(frame, x)), wide = value.to(detail::compute_dtype(value.dtype()));
  const Tensor count = sum((!isnan(wide)).to(wide.dtype()), axes, keepdim);
  return (nansum(wide, axes, keepdim) / count).to(value.dtype());
}

}  // namespace weft
