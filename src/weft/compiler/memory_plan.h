// Where every value lives: outputs, donated inputs, and one block of temporaries in which values with disjoint lifetimes share
// bytes.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/unit.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

struct MemoryPlan {
  std::vector<std::vector<runtime::Slice>> reads, writes;  // of each unit
  std::vector<runtime::Slice> scratch;                     // of each unit
};

// Fills the executable's inputs, outputs, allocations and sizes. Units are in the order in which they will run. `donatable` says
// of each input whether an output may take over its bytes. Outputs that are inputs, constants or one another get copies: the
// units for them are appended to `units`.
MemoryPlan plan_memory(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                       runtime::Executable& executable);

}  // namespace weft::compiler
