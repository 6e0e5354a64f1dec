// Programs as StableHLO text, for XLA and whatever else reads it.
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

#include <weft/tensor/tensor.h>

namespace weft {

// A module whose function @main computes what `function` does to tensors of the types of `arguments`, whose values do not matter.
// Its inputs are the arguments, its results what `function` returns. As in JAX's export, everything else that `function` uses,
// parameters, numbers and random keys too, is a constant of the text, with the value that it has now: a weight that must be an
// input is passed as an argument. Composites keep their names (stablehlo.composite).
//
// `function` is called once and is recorded, not run; what the thread recorded before is launched if `function` uses it. A
// Parameter that is assigned within keeps a value that exists nowhere else: return new values instead. Throws Error for what
// `function` throws, and for reading a value within it.
std::string export_stablehlo(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments,
                             std::source_location where = std::source_location::current());

// The same for a function of so many tensors that returns one, or a vector of them: export_stablehlo(f, x, y).
template <class F, std::same_as<Tensor>... Arguments>
  requires std::invocable<const F&, const Arguments&...>
std::string export_stablehlo(const F& function, const Arguments&... arguments) {
  const Tensor given[] = {arguments...};
  return export_stablehlo(
      [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> std::vector<Tensor> {
          return {function(x[I]...)};
        }(std::index_sequence_for<Arguments...>());
      },
      std::span<const Tensor>(given));
}

}  // namespace weft
