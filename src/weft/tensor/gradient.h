// Gradients by transformation of the graph: the results are ordinary tensors of the same recording and can be
// differentiated again.
#pragma once

#include <concepts>
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

// Returns the derivatives of `loss`, one floating-point number, with respect to each tensor of `wrt`, with the type of
// that tensor; zeros for tensors on which the loss does not depend. Throws Error if the loss depends on none of them
// (dependence only through integers, comparisons or stop_gradient does not count), or if the path to one of them leads
// through an operation without a gradient.
//
// A sync() between the computation of the loss and grad cuts the graph: no gradient flows through the tensors that it
// launched. Reading a value (item, printing) does not cut the graph: the launched operations that the gradient needs
// are computed again from tensors that are still held; throws Error if one of these tensors is no longer held. The
// values that Parameters hold when a value is read do cut the graph.
//
// docs/gradients.md lists the gradients at special points (kinks, ties, zeros of norms). Roundings have gradient zero,
// and so has a gradient of a gradient that no longer depends on x.
std::vector<Tensor> grad(const Operand& loss, std::span<const Tensor> wrt);
std::vector<Tensor> grad(const Operand& loss, std::span<Parameter* const> wrt);
inline std::vector<Tensor> grad(const Operand& loss, std::initializer_list<Tensor> wrt) {
  return grad(loss, std::span(wrt.begin(), wrt.size()));
}
Tensor grad(const Operand& loss, const Tensor& wrt);

// Returns the vector-Jacobian products: for each x of `wrt`, the sum over i of cotangents[i] * d ys[i] / dx.
std::vector<Tensor> vjp(std::span<const Tensor> ys, std::span<const Tensor> cotangents, std::span<const Tensor> wrt,
                        std::source_location where = std::source_location::current());

// Returns a function of the same arguments that returns the gradient of `function`, which returns one number, with respect to the first
// argument: vmap(grad(f))(xs). As jax.grad.
template <class F>
  requires(!std::convertible_to<const F&, Operand>)
auto grad(F function) {
  return
      [function = std::move(function)](const Tensor& x, const auto&... rest) { return grad(function(x, rest...), x); };
}

// Returns a function of the same arguments that returns the value of `function` and its gradient with respect to the
// first argument:
//   auto [loss, gradient] = value_and_grad(f)(x, y);
template <class F>
auto value_and_grad(F function) {
  return [function = std::move(function)](const Tensor& x, const auto&... rest) {
    Tensor value = function(x, rest...);
    Tensor gradient = grad(value, x);
    return std::pair(std::move(value), std::move(gradient));
  };
}
// The same with respect to parameters that `function` uses: value_and_grad(f, optimizer.parameters())(images, labels).
template <class F>
auto value_and_grad(F function, std::vector<Parameter*> parameters) {
  return [function = std::move(function), parameters = std::move(parameters)](const auto&... arguments) {
    Tensor value = function(arguments...);
    std::vector<Tensor> gradients = grad(value, std::span<Parameter* const>(parameters));
    return std::pair(std::move(value), std::move(gradients));
  };
}

}  // namespace weft
