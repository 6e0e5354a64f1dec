#include <weft/tensor/gradient.h>

#include <algorithm>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/tensor/frame.h>

namespace weft {

using detail::Frame;
using ir::Value;
using record::Recording;
using record::TensorPtr;

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

std::vector<TensorPtr> shared(std::span<const Tensor> tensors) {
  std::vector<TensorPtr> all;
  all.reserve(tensors.size());
  for (const Tensor& tensor : tensors) all.push_back(tensor.shared());
  return all;
}

std::vector<Tensor> wrap(Frame& frame, std::span<const Value> values) {
  std::vector<Tensor> tensors;
  tensors.reserve(values.size());
  for (const Value value : values) tensors.push_back(frame.tensor(value));
  return tensors;
}

// Returns the name of a compiled function that computed an input on which the loss depends; null if there is none.
const std::string* callee_before(Frame& frame, Value loss) {
  const std::span<const Recording::Input> inputs = frame.recording().inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const record::Origin& origin = inputs[i].origin;
    const Value input = frame.graph().inputs()[i];
    if (origin && origin.graph->program->callee && (input == loss || ir::depends(frame.graph(), loss, {&input, 1})))
      return &origin.graph->program->callee->function();
  }
  return nullptr;
}

// Throws Error if the loss does not depend on `wrt`, which is usually a mistake; but not if the loss is piecewise
// constant in it or is itself a gradient.
void require_dependence(Frame& frame, Value loss, std::span<const Value> wrt, std::span<const TensorPtr> tensors) {
  if (ir::depends(frame.graph(), loss, wrt) || frame.recording().were_differentiated(wrt)) return;
  if (record::were_differentiated_before(frame.recording(), loss, tensors)) return;
  const std::vector<const ir::Node*> ends = record::ends_of_derivatives(frame.recording(), loss, wrt, tensors);
  const auto is_stop = [](const ir::Node* node) { return node->op == &ir::ops::stop_gradient; };
  const auto is_piecewise_constant = [&](const ir::Node* node) {
    return !ir::passes_derivatives(*node) && is_float(node->types[0].dtype()) && is_float(node->operand(0).dtype()) &&
           !is_stop(node);
  };
  if (std::ranges::any_of(ends, is_piecewise_constant)) return;
  if (const std::string* const function = callee_before(frame, loss); function && ends.empty())
    frame.require(false, "the loss was computed from results of ", *function, " (compiled), which depend on ",
                  "none of the ", wrt.size(),
                  " tensors, except through values of parameters from before it updated them: take ",
                  "such a gradient inside the function");
  frame.require(!ends.empty(), "the loss depends on none of the ", wrt.size(),
                " tensors (was there a sync, or something without a derivative, between them and the loss?)");
  const auto stop = std::ranges::find_if(ends, is_stop);
  const ir::Node& end = stop != ends.end() ? **stop : *ends.front();
  frame.require(false, "the loss depends on the ", wrt.size(), " tensors only through ", end.op->name, " at ",
                ir::place_text(end.location), ", which has no derivative");
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
  const std::vector<TensorPtr> tensors = shared(wrt);
  const auto [gradients, crosses_reads] =
      record::gradient_through_reads(frame.recording(), frame.function(), {&y, 1}, {&one, 1}, xs, tensors);
  // For a loop that runs zero steps, the gradient is correctly zero.
  if (!xs.empty() && !crosses_reads && std::ranges::all_of(gradients, ir::is_zero))
    require_dependence(frame, y, xs, tensors);
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
  const record::Gradients gradients =
      record::gradient_through_reads(frame.recording(), frame.function(), outputs, seeds, xs, shared(wrt));
  frame.recording().differentiated(xs);
  return wrap(frame, gradients.values);
}

}  // namespace weft
