// Shardings as XLA writes them, and the extension of the plugin interface that returns those of a program's parameters and results. The
// layout of its structs is part of the interface.
#pragma once

#include <pjrt_c_api.h>
#include <string>

#include <weft/ir/sharding.h>
#include <weft/pjrt/program.h>

namespace weft::pjrt {

// Returns an OpSharding of xla/xla_data.proto. Devices are numbered as in the mesh.
std::string op_sharding(const ir::Sharding& sharding);

// Returns one OpSharding for all results: that of the only one, or that of a tuple.
std::string joined_shardings(const Texts& results);

// Returns the extension, which is followed by `next`.
PJRT_Extension_Base* shardings_extension(PJRT_Extension_Base* next);

}  // namespace weft::pjrt
