// Serialised executables: the program as JAX passed it and the options with which it was compiled, under a digest. There is no machine code in
// them, so they can be taken from anybody; the kernels are in weft's own cache (compiler/cache/), where a later process finds them.
#pragma once

#include <pjrt_c_api.h>
#include <string>
#include <string_view>

namespace weft::pjrt {

std::string serialized(std::string_view code, std::string_view compile_options);

struct Serialized {
  std::string_view code, compile_options;  // views into what was read
};
// Throws Error if these are not the bytes of a serialised executable, or are damaged.
Serialized read_serialized(std::string_view bytes);

void run(PJRT_Executable_Serialize_Args& args);
void run(PJRT_Executable_DeserializeAndLoad_Args& args);

}  // namespace weft::pjrt
