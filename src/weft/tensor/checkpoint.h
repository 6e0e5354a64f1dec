// Activation checkpointing: trades time for memory (Chen et al. 2016; jax.checkpoint, torch.utils.checkpoint).
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace detail {

std::vector<Tensor> checkpointed(std::span<const Tensor> arguments,
                                 const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                                 const std::source_location& where);

template <class F, std::size_t... I>
auto checkpointed_as(const F& function, std::span<const Tensor> arguments, const std::source_location& where,
                     std::index_sequence<I...>) {
  const auto run = [&](std::span<const Tensor> inputs) -> std::vector<Tensor> { return {function(inputs[I]...)}; };
  if constexpr (std::convertible_to<decltype(function(arguments[I]...)), Tensor>) {
    return checkpointed(arguments, run, where)[0];
  } else {
    return checkpointed(arguments, run, where);
  }
}

}  // namespace detail

// Returns a function of tensors that computes the same as `function`. Its gradient computes `function` again from the
// arguments, so that no intermediate values are kept from the forward pass for the backward pass:
//   for (const Block& block : blocks) x = checkpoint([&](const Tensor& h) { return block(h); })(x);
// `function` returns a Tensor or a vector of them. It may use tensors from outside freely. Both computations draw the
// same random numbers. `function` cannot read values nor write Parameters from outside.
//
// In strict mode (WEFT_STRICT=1), results and gradients are bitwise equal to those without the checkpoint, because
// cotangents are summed in the same order. In other modes they may differ in the last bits, because fusion differs, and
// with it the places where a multiply and an add are rounded once. Gradients of gradients may differ in every mode,
// because they add up the contributions of both computations of a value.
template <class F>
auto checkpoint(F function, std::source_location where = std::source_location::current()) {
  return [function = std::move(function), where](const auto&... arguments) {
    const Tensor list[] = {Tensor(arguments)...};
    return detail::checkpointed_as(function, list, where, std::make_index_sequence<sizeof...(arguments)>());
  };
}

}  // namespace weft
