// Loops and branches that are decided on the device. Each body is recorded once. A body may use tensors from outside
// freely; tensors recorded inside it are available outside only if it returns them. A body cannot read values nor write
// Parameters from outside: return the new value and assign it outside.
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
// Converts numbers to constants of type i32, f32 or i1.
std::vector<Tensor> tensors_of(std::initializer_list<Operand> operands);
}  // namespace detail

// Starts with `initial` and replaces the values by body(values) while condition(values), a single boolean, is true. The
// body returns the same number of tensors with the same types. Gradients flow through counted loops, as through
// for_loop: the values at the start of each step are kept in arrays with one row per step. A loop is counted if its
// counter starts at a constant, grows by a constant and is compared with a constant:
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
// Replaces the values by body(i, values) for i = 0 to count - 1; i is i32 of rank 0.
std::vector<Tensor> for_loop(std::int64_t count, std::span<const Tensor> initial,
                             const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
                             std::source_location where = std::source_location::current());
inline std::vector<Tensor> for_loop(
    std::int64_t count, std::initializer_list<Operand> initial,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    std::source_location where = std::source_location::current()) {
  return for_loop(count, detail::tensors_of(initial), body, where);
}

// The results of scan, which computes (values, y) = body(values, xs[i]...) for each i along the first dimension of
// `xs`: the last values, and the y of all steps stacked along a new first axis. Every step returns the same number of
// tensors with the same types. (jax.lax.scan)
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

// Returns the result of `on_true` or `on_false`, which return tensors of the same types. Only the chosen branch runs.
std::vector<Tensor> cond(const Operand& predicate, const std::function<std::vector<Tensor>()>& on_true,
                         const std::function<std::vector<Tensor>()>& on_false);

}  // namespace weft
