// Where every value lives: in outputs, in donated inputs, or in one block of temporaries in which values with disjoint lifetimes share
// bytes. Sharing is planned once, whatever the sizes; offsets are computed when the sizes are known.
#pragma once

#include <cstddef>
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
  // The place of a value, which occupies all bytes of an allocation.
  struct Place {
    std::uint32_t allocation = 0;
    Size bytes;
  };
  struct Allocation {
    runtime::Allocation::Kind kind;
    std::uint32_t index;  // of an input, an output, or a temporary's lifetime
    Size bytes;
    std::shared_ptr<const std::byte> constant = {};
  };
  // What lives in the block of temporaries from its first unit to its last.
  struct Lifetime {
    Size bytes;
    int first = 0, last = 0;
    int scratch_of = -1;  // the unit that uses it as scratch memory and sets its size; -1: none
  };

  std::vector<Type> inputs;
  std::vector<runtime::Output> outputs;
  std::vector<Allocation> allocations;
  std::vector<Lifetime> lifetimes;
  std::vector<std::vector<Place>> reads, writes;  // of each unit
  std::vector<int> scratch;                       // for each unit: an allocation; -1 if none
};

// Plans the memory of a graph. Units are in the order in which they will run. `donatable` says for each input whether an output may take
// over its bytes. Outputs that are inputs, constants or other outputs get copies: the units that copy are appended to `units`.
MemoryPlan plan_memory(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                       const UnitMaker& maker);

// Returns the bytes that are in use at the same time at most, of a plan for known sizes: inputs, outputs, constants and temporaries.
std::uint64_t peak_bytes(const MemoryPlan& plan, std::span<const Unit> units);

// The offsets of the temporaries in their block.
struct TemporaryLayout {
  std::vector<std::uint64_t> bytes, offsets;  // of each lifetime
  std::uint64_t end = 0;
};

// Fills the executable's inputs, outputs, allocations and sizes. `scratch_bytes` has an entry for each unit; `before` is the layout for
// other sizes, or null.
std::shared_ptr<const TemporaryLayout> lay_out(const MemoryPlan& plan, const SizeValues& sizes,
                                               std::span<const std::uint64_t> scratch_bytes,
                                               const std::shared_ptr<const TemporaryLayout>& before,
                                               runtime::Executable& executable);

// Returns memory for a constant, aligned for every kernel.
std::shared_ptr<std::byte> constant_memory(std::size_t bytes);

// Returns the slices of places, and of a unit's scratch memory.
std::vector<runtime::Slice> slices(std::span<const MemoryPlan::Place> places, const SizeValues& sizes);
runtime::Slice scratch_slice(const MemoryPlan& plan, std::size_t unit, std::uint64_t bytes);

}  // namespace weft::compiler
