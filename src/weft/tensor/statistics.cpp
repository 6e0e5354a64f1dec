#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/selection.h>

namespace weft {

using detail::Frame;

namespace {

Tensor floating_tensor(Frame& frame, const Operand& x) { return frame.tensor(detail::floating(frame, x)); }

Tensor histogram(const Tensor& x, std::int64_t bins, const Tensor& low, const Tensor& high) {
  const Tensor flat = reshape(x, {-1}),
               place = (flat - low) * constant(static_cast<double>(bins), x.dtype()) / (high - low);
  const Tensor is_within = logical_and(flat >= low, flat <= high);
  const Tensor bin =
      minimum(where(is_within, place, constant(0, x.dtype())).to(DType::i32), constant(bins - 1, DType::i32));
  return bincount(where(is_within, bin, constant(-1, DType::i32)), bins, ones_like(flat));
}

}  // namespace

Tensor isin(const Operand& x, const Operand& values) {
  Frame frame("isin", x);
  const auto [given, among] = detail::promoted(frame, x, values);
  const Tensor wanted = frame.tensor(given), sorted = sort(reshape(frame.tensor(among), {-1}));
  if (sorted.elements() == 0) return zeros(wanted.shape(), DType::boolean);
  return take(sorted, searchsorted(sorted, wanted)) == wanted;
}

Tensor histc(const Operand& x, std::int64_t bins, double low, double high) {
  Frame frame("histc", x);
  const Tensor value = floating_tensor(frame, x);
  frame.require(bins > 0, "expected at least one bin, got ", bins);
  frame.require(low < high, "the lower bound ", low, " is not below ", high);
  return histogram(value, bins, constant(low, value.dtype()), constant(high, value.dtype()));
}

Tensor histc(const Operand& x, std::int64_t bins) {
  Frame frame("histc", x);
  const Tensor value = floating_tensor(frame, x);
  frame.require(bins > 0, "expected at least one bin, got ", bins);
  if (value.elements() == 0) return zeros({bins}, value.dtype());
  const Tensor fixed = stop_gradient(value), low = min(fixed), high = max(fixed), one = constant(1, value.dtype());
  const Tensor is_point = low == high;  // Equal elements lie in the middle of a range of 2.
  return histogram(fixed, bins, where(is_point, low - one, low), where(is_point, high + one, high));
}

Tensor cov(const Operand& x, int correction) {
  Frame frame("cov", x);
  const Tensor value = floating_tensor(frame, x);
  frame.require(value.rank() == 1 || value.rank() == 2, "expected [variables, observations], got ", value.type());
  const Tensor rows = value.rank() == 1 ? unsqueeze(value, 0) : value, centred = rows - mean(rows, 1, true);
  const double divisor = static_cast<double>(std::max<std::int64_t>(rows.size(1) - correction, 0));
  const Tensor products = matmul(centred, transpose(centred)) / constant(divisor, value.dtype());
  return value.rank() == 1 ? reshape(products, {}) : products;
}

Tensor corrcoef(const Operand& x) {
  Frame frame("corrcoef", x);
  const Tensor covariances = cov(x);
  if (covariances.rank() == 0) return covariances / covariances;
  const Tensor deviations = sqrt(diagonal(covariances));
  const Tensor raw = covariances / unsqueeze(deviations, 1) / unsqueeze(deviations, 0);
  return clamp(raw, constant(-1, raw.dtype()), constant(1, raw.dtype()));
}

}  // namespace weft
