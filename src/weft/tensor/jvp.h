// Derivatives along a direction, in forward mode: jvp, and the matrices of all derivatives that follow from it and from vmap. As
// jax.jvp, jax.jacrev, jax.jacfwd, jax.hessian and torch.func's. The functions may use tensors from outside, which are constants.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tensor/gradient.h>
#include <weft/tensor/leaves.h>
#include <weft/tensor/vmap.h>

namespace weft {

namespace detail {

// Calls `function` with the tensors `xs`. Returns its results, then their tangents.
std::vector<Tensor> forwarded(std::span<const Tensor> xs, std::span<const Tensor> tangents,
                              const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                              const std::source_location& where);

using TensorFunction = std::function<Tensor(const Tensor&)>;
Tensor jacobian_by_rows(const TensorFunction& function, const Tensor& x, const std::source_location& where);
Tensor jacobian_by_columns(const TensorFunction& function, const Tensor& x, const std::source_location& where);

template <class T>
std::vector<Tensor> values_of(const std::vector<T*>& pointers) {
  std::vector<Tensor> values;
  for (const Tensor* pointer : pointers) values.push_back(*pointer);
  return values;
}

}  // namespace detail

// Returns function(x) and its derivative along `tangent`: the Jacobian times the tangent. `x` is a tensor, or a struct, vector or tuple of
// tensors; the function gets the elements of a tuple as its arguments. `tangent` has the type of x, with the types of its tensors; those of
// integers and booleans are not used. Costs about as much as two calls, also through loops whose number of steps is unknown.
//   const auto [y, dy] = jvp(f, x, v);
//   const auto [y, dy] = jvp(f, std::tuple(a, b), std::tuple(va, vb));
template <class F, class X>
auto jvp(const F& function, const X& x, const std::type_identity_t<X>& tangent,
         std::source_location where = std::source_location::current()) {
  detail::OwnArguments<X> at(x), along(tangent);
  std::vector<Tensor> xs = detail::values_of(at.tensors()), tangents = detail::values_of(along.tensors());
  const auto call = [&function](const auto& values) {
    if constexpr (detail::Tuple<std::remove_cvref_t<decltype(values)>>)
      return std::apply(function, values);
    else
      return function(values);
  };
  using Result = std::decay_t<decltype(at.call(call))>;
  std::optional<Result> value, derivative;
  const auto run = [&](std::span<const Tensor> inputs) {
    at.replace(inputs);
    value.emplace(at.call(call));
    derivative.emplace(*value);
    return detail::tensors_in(*value);
  };
  const std::vector<Tensor> made = detail::forwarded(xs, tangents, run, where);
  detail::replace_tensors(*value, std::span(made).first(made.size() / 2));
  detail::replace_tensors(*derivative, std::span(made).last(made.size() / 2));
  return std::pair(*std::move(value), *std::move(derivative));
}

// Return a function of the same arguments that returns all derivatives of a function, which returns one tensor, by its first argument: of
// shape [shape of the result..., shape of the argument...]. jacobian takes one gradient for each element of the result, jacobian_forward
// one tangent for each element of the argument: use the one that has fewer. All are computed at once, by vmap.
template <class F>
auto jacobian(F function, std::source_location where = std::source_location::current()) {
  return [function = std::move(function), where](const Tensor& x, const auto&... rest) {
    return detail::jacobian_by_rows([&](const Tensor& at) { return function(at, rest...); }, x, where);
  };
}
template <class F>
auto jacobian_forward(F function, std::source_location where = std::source_location::current()) {
  return [function = std::move(function), where](const Tensor& x, const auto&... rest) {
    return detail::jacobian_by_columns([&](const Tensor& at) { return function(at, rest...); }, x, where);
  };
}

// Returns a function of the same arguments that returns the second derivatives of a function, whose result is one number, by its first
// argument: [shape of the argument..., shape of the argument...].
template <class F>
auto hessian(F function, std::source_location where = std::source_location::current()) {
  return jacobian_forward(grad(std::move(function)), where);
}

}  // namespace weft
