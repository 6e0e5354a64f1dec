// What the plugin needs of the options with which JAX compiles: a serialized CompileOptionsProto of XLA (xla/pjrt/proto/compile_options.proto).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::pjrt {

struct CompileOptions {
  std::int64_t replicas = 1, partitions = 1;
  std::vector<std::int64_t> devices;  // the id of the device of each replica or partition; empty: not said
};

// Skips everything else. Throws Error if the bytes are no protocol buffer, or name an option that neither weft nor XLA has.
CompileOptions read_compile_options(std::string_view bytes);

// Returns a DeviceAssignmentProto: each replica, or each partition of the only one, runs on the device with this id.
std::string device_assignment(const std::vector<std::int64_t>& devices, std::int64_t replicas);

}  // namespace weft::pjrt
