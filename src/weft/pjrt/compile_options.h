// What the plugin needs of the options with which JAX compiles: a serialized CompileOptionsProto of XLA (xla/pjrt/proto/compile_options.proto).
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::pjrt {

struct CompileOptions {
  std::int64_t replicas = 1, partitions = 1;
};

// Reads the numbers of replicas and partitions and skips everything else. Throws Error if the bytes are no protocol buffer.
CompileOptions read_compile_options(std::string_view bytes);

}  // namespace weft::pjrt
