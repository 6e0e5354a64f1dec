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

// A function of tensors that computes what `function` does, but whose gradient computes it again from its arguments, so that
// nothing in between is kept from the forward to the backward pass:
//   for (const Block& block : blocks) x = checkpoint([&](const Tensor& h) { return block(h); })(x);
// In strict mode (WEFT_STRICT=1) results and gradients have the bits that they have without it, sums of cotangents being taken in
// the same order. In others they may differ in the last bits, for what becomes one kernel differs, and with it where a multiply and
// an add are rounded once; so may gradients of gradients in every mode, which add up what the two computations of a value give.
// It returns a Tensor or a vector of them. Tensors of outside may be used in it freely, random numbers are the same both times,
// values cannot be read inside, nor Parameters written.
template <class F>
auto checkpoint(F function, std::source_location where = std::source_location::current()) {
  return [function = std::move(function), where](const auto&... arguments) {
    const Tensor list[] = {Tensor(arguments)...};
    return detail::checkpointed_as(function, list, where, std::make_index_sequence<sizeof...(arguments)>());
  };
}

}  // namespace weft
