// Gradients, graph to graph: what is returned are ordinary tensors of the same recording, which can be differentiated again.
#pragma once

#include <initializer_list>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/tensor.h>

namespace weft {

// The derivative of `loss`, one floating-point number, by each of `wrt`, of its type: zeros for those on which the loss does not
// depend. Throws Error if it depends on none, or where the way to one leads through an operation without a gradient.
//
// sync() between the making of the loss and grad cuts the graph: what it launched is a value like any other. Reading a value
// (item, printing) does not: of what was launched for it, what the gradient needs is computed again, out of tensors that are still
// held; Error where one of them is not. What Parameters hold when a value is read is a value like any other too.
//
// Special points (kinks, ties, zeros of norms) have the gradients that docs/gradients.md lists. Roundings have the gradient zero, and so
// has a gradient of a gradient that no longer depends on x. A loss that depends on no x, or only through integers, comparisons or
// stop_gradient, is an Error.
std::vector<Tensor> grad(const Operand& loss, std::span<const Tensor> wrt);
std::vector<Tensor> grad(const Operand& loss, std::span<Parameter* const> wrt);
inline std::vector<Tensor> grad(const Operand& loss, std::initializer_list<Tensor> wrt) {
  return grad(loss, std::span(wrt.begin(), wrt.size()));
}
Tensor grad(const Operand& loss, const Tensor& wrt);

// The sum over i of cotangents[i] * d ys[i] / dx, for each x of `wrt`: a vector-Jacobian product.
std::vector<Tensor> vjp(std::span<const Tensor> ys, std::span<const Tensor> cotangents, std::span<const Tensor> wrt,
                        std::source_location where = std::source_location::current());

// A function of the same arguments that returns the value of `function` and its gradient by the first argument:
//   auto [loss, gradient] = value_and_grad(f)(x, y);
template <class F>
auto value_and_grad(F function) {
  return [function = std::move(function)](const Tensor& x, const auto&... rest) {
    Tensor value = function(x, rest...);
    Tensor gradient = grad(value, x);
    return std::pair(std::move(value), std::move(gradient));
  };
}
// The same by parameters that `function` uses: value_and_grad(f, optimizer.parameters())(images, labels).
template <class F>
auto value_and_grad(F function, std::vector<Parameter*> parameters) {
  return [function = std::move(function), parameters = std::move(parameters)](const auto&... arguments) {
    Tensor value = function(arguments...);
    std::vector<Tensor> gradients = grad(value, std::span<Parameter* const>(parameters));
    return std::pair(std::move(value), std::move(gradients));
  };
}

}  // namespace weft
