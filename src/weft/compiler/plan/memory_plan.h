// Where every value lives: outputs, donated inputs, and one block of temporaries in which values with disjoint lifetimes share
// bytes. Who shares with whom is planned once, whatever the sizes; where that is in memory is laid out when they are known.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

struct MemoryPlan {
  // A value's place: all bytes of an allocation.
  struct Place {
    std::uint32_t allocation = 0;
    Size bytes;
  };
  struct Allocation {
    runtime::Allocation::Kind kind;
    std::uint32_t index;  // of an input or output; of a temporary, among the lifetimes
    Size bytes;
    std::shared_ptr<const std::byte> constant = {};
  };
  // What lives in the block of temporaries from its first unit to its last.
  struct Lifetime {
    Size bytes;
    int first = 0, last = 0;
    int scratch_of = -1;  // the unit whose scratch memory it is: that unit says how many bytes
  };

  std::vector<Type> inputs;
  std::vector<runtime::Output> outputs;
  std::vector<Allocation> allocations;
  std::vector<Lifetime> lifetimes;
  std::vector<std::vector<Place>> reads, writes;  // of each unit
  std::vector<int> scratch;                       // of each unit: an allocation; -1: none
};

// Units are in the order in which they will run. `donatable` says of each input whether an output may take over its bytes. Outputs
// that are inputs, constants or one another get copies: the units for them are appended to `units`.
MemoryPlan plan_memory(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                       const UnitMaker& maker);

// Where the temporaries lie in their block.
struct TemporaryLayout {
  std::vector<std::uint64_t> bytes, offsets;  // of each lifetime
  std::uint64_t end = 0;
};

// Fills the executable's inputs, outputs, allocations and sizes. `scratch_bytes` is of each unit, `before` the layout for other
// sizes, if there is one.
std::shared_ptr<const TemporaryLayout> lay_out(const MemoryPlan& plan, const SizeValues& sizes,
                                               std::span<const std::uint64_t> scratch_bytes,
                                               const std::shared_ptr<const TemporaryLayout>& before,
                                               runtime::Executable& executable);

// Of places, and of the scratch memory of a unit.
std::vector<runtime::Slice> slices(std::span<const MemoryPlan::Place> places, const SizeValues& sizes);
runtime::Slice scratch_slice(const MemoryPlan& plan, std::size_t unit, std::uint64_t bytes);

}  // namespace weft::compiler
