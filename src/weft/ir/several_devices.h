// Programs for several devices. Weft runs a program on one device. A program that only says how its values are to be split, by
// shardings and meshes, computes the same there; one that is already split is refused, whatever shows it, in the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <weft/base/error.h>
#include <weft/ir/graph.h>

namespace weft::ir {

// No way of running a program helps: the interpreter has one device, too.
class SeveralDevicesError : public UnsupportedError {
 public:
  using UnsupportedError::UnsupportedError;
};

// Throws SeveralDevicesError that names the node's op and place.
[[noreturn]] void refuse_several_devices(const Node& node);

// The sentence; `what` shows that the program is for several devices: 'sdy.manual_computation'.
std::string several_devices_message(std::string_view what);

// Whether an operation that is not known, or a custom_call of this target, belongs to programs that are split.
bool is_operation_of_several_devices(std::string_view name);
bool is_call_of_several_devices(std::string_view target);

// How many devices the function's module says that it is for: mhlo.num_replicas times mhlo.num_partitions; 1 where it does not say.
std::int64_t device_count(const Graph& function);

}  // namespace weft::ir
