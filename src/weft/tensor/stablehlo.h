// Exports programs as StableHLO, text or bytecode, for XLA and other readers of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/ir/bytecode/write_bytecode.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Returns a module whose function @main computes what `function` computes for tensors with the types of `arguments`;
// the values of `arguments` do not matter. The inputs of @main are the arguments, and its results are those of
// `function`. As in JAX's export, everything else that `function` uses (parameters, numbers, random keys) becomes a
// constant with its current value; pass a weight as an argument to make it an input. Composites keep their names
// (stablehlo.composite). If arguments are sharded (sharding.h), the module names their mesh and their shardings, as
// JAX's exports do, so that `weft run --devices` divides it.
//
// `function` is called once and is recorded, not run. Operations that the thread recorded earlier are launched if
// `function` uses their results. Do not assign a Parameter in `function`, because it would keep a value that is never
// computed: return the new value instead. Throws Error if `function` throws or reads a value.
std::string export_stablehlo(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments,
                             std::source_location where = std::source_location::current());

// The same as bytecode, a portable artifact that readers of this version of StableHLO and of newer ones take. Throws Error, too, if the
// version lacks something that the program has (ir/bytecode/write_bytecode.h).
std::string export_stablehlo(ir::StablehloVersion target,
                             const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments,
                             std::source_location where = std::source_location::current());

namespace detail {
// Calls a function of a fixed number of tensors with those of a vector.
template <std::size_t count, class F>
std::vector<Tensor> call_with(const F& function, const std::vector<Tensor>& x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> std::vector<Tensor> {
    return {function(x[I]...)};
  }(std::make_index_sequence<count>());
}
}  // namespace detail

// The same for a function of a fixed number of tensors that returns one tensor or a vector of them: export_stablehlo(f,
// x, y), export_stablehlo(version, f, x, y).
template <class F, std::same_as<Tensor>... Arguments>
  requires std::invocable<const F&, const Arguments&...>
std::string export_stablehlo(const F& function, const Arguments&... arguments) {
  const Tensor given[] = {arguments...};
  return export_stablehlo(
      [&](const std::vector<Tensor>& x) { return detail::call_with<sizeof...(Arguments)>(function, x); },
      std::span<const Tensor>(given));
}
template <class F, std::same_as<Tensor>... Arguments>
  requires std::invocable<const F&, const Arguments&...>
std::string export_stablehlo(ir::StablehloVersion target, const F& function, const Arguments&... arguments) {
  const Tensor given[] = {arguments...};
  return export_stablehlo(
      target, [&](const std::vector<Tensor>& x) { return detail::call_with<sizeof...(Arguments)>(function, x); },
      std::span<const Tensor>(given));
}

}  // namespace weft
