#include <weft/optim/clip.h>

#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

Clipped clip_grad_norm(std::span<const Tensor> gradients, const Operand& max_norm) {
  const record::Call call("clip_grad_norm", max_norm.where());
  call.require(!gradients.empty(), "no gradients");
  Tensor total;
  for (const Tensor& gradient : gradients) {
    const Tensor wide = gradient.to(promote(gradient.dtype(), DType::f32));
    const Tensor squares = sum(wide * wide);
    total = total.defined() ? total + squares : squares;
  }
  // At 0, the gradient of the norm is 0, but that of sqrt is infinite.
  const Tensor is_zero = total == constant(0, total.dtype());
  Clipped clipped{{}, where(is_zero, total, sqrt(where(is_zero, constant(1, total.dtype()), total)))};
  const Tensor factor =
      minimum(max_norm / (clipped.norm + constant(1e-6, clipped.norm.dtype())), constant(1, clipped.norm.dtype()));
  for (const Tensor& gradient : gradients) clipped.gradients.push_back(gradient * factor.to(gradient.dtype()));
  return clipped;
}

std::vector<Tensor> clip_grad_value(std::span<const Tensor> gradients, const Operand& limit) {
  const record::Call call("clip_grad_value", limit.where());
  const Tensor most = limit.is_number() ? full({}, limit, DType::f64) : limit.tensor();
  std::vector<Tensor> clipped;
  for (const Tensor& gradient : gradients) {
    const Tensor bound = most.to(gradient.dtype());
    clipped.push_back(clamp(gradient, -bound, bound));
  }
  return clipped;
}

}  // namespace weft::optim
