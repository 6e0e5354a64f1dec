// The layouts of buffers (runtime/layout.h) whose tensors are sharded over a mesh.
#pragma once

#include <weft/ir/sharding.h>
#include <weft/runtime/layout.h>

namespace weft::compiler {

// Returns the layout for a sharding: the same id for equal shardings. Thread-safe.
runtime::LayoutId layout_for(const ir::Sharding& sharding);

// Returns the sharding of a layout that layout_for made.
const ir::Sharding& sharding_of(runtime::LayoutId layout);

}  // namespace weft::compiler
