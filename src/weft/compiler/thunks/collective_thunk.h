// Collectives among the devices of a mesh that are in this process (runtime/replicas.h).
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Only for programs for several devices (Options::devices): with a single one, collectives are expanded.
Unit collective_unit(const ir::Node& node, const NativeContext& context);
Unit process_id_unit(const ir::Node& node);  // partition_id, replica_id: the devices are the partitions of one replica

}  // namespace weft::compiler
