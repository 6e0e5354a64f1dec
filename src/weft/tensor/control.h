// Loops and branches that the device decides. Bodies are recorded once; tensors of outside may be used in them freely, and what
// they record cannot be used outside but through what they return. Values cannot be read inside, nor Parameters of outside written:
// return the new value, and assign it outside.
#pragma once

#include <functional>
#include <initializer_list>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace detail {
// Numbers become constants: i32, f32 or i1.
std::vector<Tensor> tensors_of(std::initializer_list<Operand> operands);
}  // namespace detail

// Starting with `initial`, replaces the values by body(values) while condition(values), one boolean, holds. The body returns as
// many tensors of the same types. Gradients flow through loops that count, as for_loop's do: what entered each step is kept, in
// arrays of as many rows as there are steps. A loop counts if its counter begins at, grows by and is compared with constants:
//   while_loop({0, x}, [](const auto& at) { return at[0] < constant(10, DType::i32); },
//              [](const auto& at) { return std::vector{at[0] + constant(1, DType::i32), at[1] * 2}; })
std::vector<Tensor> while_loop(std::span<const Tensor> initial,
                               const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                               const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                               std::source_location where = std::source_location::current());
inline std::vector<Tensor> while_loop(std::initializer_list<Operand> initial,
                                      const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                                      const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                                      std::source_location where = std::source_location::current()) {
  return while_loop(detail::tensors_of(initial), condition, body, where);
}
// body(i, values) for i (i32, rank 0) from 0 to count - 1.
std::vector<Tensor> for_loop(std::int64_t count, std::span<const Tensor> initial,
                             const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
                             std::source_location where = std::source_location::current());
inline std::vector<Tensor> for_loop(
    std::int64_t count, std::initializer_list<Operand> initial,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    std::source_location where = std::source_location::current()) {
  return for_loop(count, detail::tensors_of(initial), body, where);
}

// For i from 0 to the first size of `xs` - 1: values, y = body(values, xs[i]...). Returns the last values, and the ys of all steps
// stacked along a new first axis; each step gives as many, of the same types. (jax.lax.scan)
struct ScanResult {
  std::vector<Tensor> values, stacked;
  void fields(auto&& field) {
    field("values", values);
    field("stacked", stacked);
  }
};
ScanResult scan(std::span<const Tensor> initial, std::span<const Tensor> xs,
                const std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(
                    const std::vector<Tensor>& values, const std::vector<Tensor>& x)>& body,
                std::source_location where = std::source_location::current());

// What `on_true` or `on_false` returns, tensors of the same types; only the chosen one is run.
std::vector<Tensor> cond(const Operand& predicate, const std::function<std::vector<Tensor>()>& on_true,
                         const std::function<std::vector<Tensor>()>& on_false);

}  // namespace weft
