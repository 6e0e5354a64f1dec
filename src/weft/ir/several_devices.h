// Programs for several devices. A program that only says how its values should be split, by shardings and meshes, computes the same on one
// device, and weft can split it. A program that is already split is refused, always with the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <weft/base/error.h>
#include <weft/ir/graph.h>

namespace weft::ir {

// The error for a program that is already split. It is no use to run the program in another way: the interpreter has one device, too.
class SeveralDevicesError : public UnsupportedError {
 public:
  using UnsupportedError::UnsupportedError;
};

// Throws SeveralDevicesError that names the node's op and place.
[[noreturn]] void refuse_several_devices(const Node& node);

// Returns the message; `what` names the part of the program that needs several devices: 'sdy.manual_computation'.
std::string several_devices_message(std::string_view what);

// Return whether an unknown operation, or a custom_call of this target, belongs to programs that are already split.
bool is_operation_of_several_devices(std::string_view name);
bool is_call_of_several_devices(std::string_view target);

// Returns the number of devices that the function's module asks for: mhlo.num_replicas times mhlo.num_partitions; 1 if it does not say.
std::int64_t device_count(const Graph& function);

}  // namespace weft::ir
