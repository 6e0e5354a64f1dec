// Programs that are written for one device of a mesh: the manual form of sharding.h, as jax.shard_map. The function sees the
// parts that one device holds, and says itself what devices exchange:
//
//   const auto dot = per_device(mesh, [](const Tensor& a, const Tensor& b) { return psum(sum(a * b), "data"); },
//                               {"data", "data"}, {PartitionSpec{}});
//   const Tensor result = dot(x, y);  // x and y are divided along data, the result is the same on every device
//
// Everything around the call stays as it is: the compiler reshards the arguments as given and goes on with the results.
// Gradients pass through.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/sharding.h>

namespace weft {

namespace detail {

struct PerDevice {
  Mesh mesh;
  std::vector<PartitionSpec> inputs, outputs;
  std::source_location where;
};
std::vector<Tensor> run_per_device(const PerDevice& how, std::span<const Tensor> arguments,
                                   const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function);

template <class F, std::size_t... I>
auto run_per_device_as(const PerDevice& how, const F& function, std::span<const Tensor> arguments,
                       std::index_sequence<I...>) {
  const auto run = [&]([[maybe_unused]] std::span<const Tensor> parts) -> std::vector<Tensor> {
    return {function(parts[I]...)};
  };
  if constexpr (std::convertible_to<decltype(function(arguments[I]...)), Tensor>) {
    return run_per_device(how, arguments, run)[0];
  } else {
    return run_per_device(how, arguments, run);
  }
}

}  // namespace detail

// Returns a function of whole tensors. `inputs` and `outputs` say how each argument and each result is divided among the
// devices; axes that an output does not name hold the same value on all devices. `function` returns a Tensor or a vector
// of them, and may use tensors from outside, of which each device sees all. A call throws Error if sizes do not divide,
// or if devices may hold different values of a result along an axis that its spec does not name.
template <class F>
auto per_device(const Mesh& mesh, F function, std::vector<PartitionSpec> inputs, std::vector<PartitionSpec> outputs,
                std::source_location where = std::source_location::current()) {
  return [how = detail::PerDevice{mesh, std::move(inputs), std::move(outputs), where},
          function = std::move(function)](const auto&... arguments) {
    const std::vector<Tensor> list{Tensor(arguments)...};
    return detail::run_per_device_as(how, function, list, std::make_index_sequence<sizeof...(arguments)>());
  };
}

// What the devices exchange, within a function of per_device. `axis` names the axes whose devices take part: "data", or
// "data,model" from major to minor. Throw Error elsewhere, and for axes that the mesh lacks. (jax.lax)
Tensor psum(const Operand& x, std::string_view axis);   // the sum of what the devices hold
Tensor pmean(const Operand& x, std::string_view axis);  // its mean
Tensor pmax(const Operand& x, std::string_view axis);   // has no gradient
Tensor pmin(const Operand& x, std::string_view axis);   // has no gradient
// The parts of all devices, joined along a dimension.
Tensor all_gather(const Operand& x, std::string_view axis, std::int64_t dimension = 0);
// The device's part, along a dimension, of the sum of what the devices hold.
Tensor reduce_scatter(const Operand& x, std::string_view axis, std::int64_t dimension = 0);
// Splits a dimension among the devices, and joins what they send along another one.
Tensor all_to_all(const Operand& x, std::string_view axis, std::int64_t split, std::int64_t join);
// The device at position `to` gets what the one at `from` holds; zeros where nobody sends.
struct Sends {
  std::int64_t from, to;
};
Tensor permute_devices(const Operand& x, std::string_view axis, const std::vector<Sends>& pairs);
// The device's position, an i32 of rank 0.
Tensor axis_index(std::string_view axis, std::source_location where = std::source_location::current());
// The number of devices along the axes.
std::int64_t axis_size(std::string_view axis);

}  // namespace weft
