#include <weft/tensor/gradient.h>

#include <algorithm>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/tensor/recording.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

std::vector<Value> sources(Frame& frame, std::span<const Tensor> wrt) {
  std::vector<Value> values;
  values.reserve(wrt.size());
  for (const Tensor& x : wrt) {
    values.push_back(frame.value(x));
    frame.require(is_float(values.back().dtype()), "only floating-point tensors have gradients, got ",
                  values.back().type());
  }
  return values;
}

std::vector<Tensor> wrap(Frame& frame, std::span<const Value> values) {
  std::vector<Tensor> tensors;
  tensors.reserve(values.size());
  for (const Value value : values) tensors.push_back(frame.tensor(value));
  return tensors;
}

}  // namespace

std::vector<Tensor> grad(const Operand& loss, std::span<const Tensor> wrt) {
  Frame frame("grad", loss);
  const Value y = frame.value(loss);
  frame.require(is_float(y.dtype()) && y.type().elements() == 1, "the loss must be one floating-point number, got ",
                y.type());
  const std::vector<Value> xs = sources(frame, wrt);
  frame.recording().require_whole(y, xs, frame.function());
  const Value one = ir::constant_like(y, 1);
  const auto [gradients, crosses_reads] =
      detail::gradient_through_reads(frame.recording(), frame.function(), {&y, 1}, {&one, 1}, xs, wrt);
  // Of a loop that runs no step zeros are the gradient.
  frame.require(
      xs.empty() || crosses_reads || !std::ranges::all_of(gradients, ir::is_zero) || ir::depends(frame.graph(), y, xs),
      "the loss depends on none of the ", xs.size(),
      " tensors (was there a sync, or a stop_gradient, between them and the loss?)");
  frame.recording().differentiated(xs);
  return wrap(frame, gradients);
}

std::vector<Tensor> grad(const Operand& loss, std::span<Parameter* const> wrt) {
  std::vector<Tensor> tensors;
  tensors.reserve(wrt.size());
  for (const Parameter* parameter : wrt) tensors.push_back(*parameter);
  return grad(loss, tensors);
}

Tensor grad(const Operand& loss, const Tensor& wrt) { return grad(loss, std::span(&wrt, 1)).front(); }

std::vector<Tensor> vjp(std::span<const Tensor> ys, std::span<const Tensor> cotangents, std::span<const Tensor> wrt,
                        std::source_location where) {
  Frame frame("vjp", where);
  frame.require(ys.size() == cotangents.size(), ys.size(), " values and ", cotangents.size(), " cotangents");
  const std::vector<Value> outputs = sources(frame, ys), seeds = sources(frame, cotangents), xs = sources(frame, wrt);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    frame.require(outputs[i].type() == seeds[i].type(), "the cotangent ", seeds[i].type(), " does not fit ",
                  outputs[i].type());
  }
  for (const Value y : outputs) frame.recording().require_whole(y, xs, frame.function());
  const detail::Gradients gradients =
      detail::gradient_through_reads(frame.recording(), frame.function(), outputs, seeds, xs, wrt);
  frame.recording().differentiated(xs);
  return wrap(frame, gradients.values);
}

}  // namespace weft
