// Collectives among the devices of a mesh that are in this process (runtime/replicas.h).
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Only for programs for several devices (Options::devices): with a single one, collectives are expanded.
// The devices are the partitions of one replica.
Unit collective_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
