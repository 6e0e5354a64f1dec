// An Executable is a compiled graph: thunks in an order that respects their reads and writes, the allocations they work on, and
// the binding of inputs and outputs. Immutable once made; shared by any number of launches.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <weft/base/type.h>
#include <weft/runtime/kept_blocks.h>
#include <weft/runtime/layout.h>
#include <weft/runtime/preparation.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct ProgramDescription;
struct Schedule;

// A range of memory to which slices refer.
struct Allocation {
  enum class Kind : std::uint8_t {
    input,      // bytes of input `index`
    output,     // bytes of output `index`: allocated for the launch, or taken from a donated input
    constant,   // bytes held by the executable, never written
    temporary,  // bytes of one launch, at `offset` of its block of temporaries
  };
  Kind kind = Kind::temporary;
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // of a temporary, and of a device's shard in an input or output that devices share
  std::shared_ptr<const std::byte> constant = {};  // for a constant
};

struct Output {
  Type type;
  std::uint32_t allocation = 0;     // of kind output, or of kind input if an input is passed through unchanged
  std::int32_t donated_input = -1;  // the input whose bytes this output takes over; -1 if there is none
};

// An output of a launch that is an input of the next one.
struct Carried {
  std::size_t output = 0, input = 0;
};

struct Executable {
  std::string name;
  std::vector<Type> inputs;
  std::vector<Output> outputs;
  // Of a program for the devices of a mesh: how many are in this process, and how they hold inputs and outputs. Of such an output,
  // `allocation` is the shard of the first device, and the shards of all devices have the same size.
  std::uint32_t devices = 1;
  std::vector<LayoutId> input_layouts, output_layouts;  // empty: there are none
  std::vector<Allocation> allocations;
  std::vector<std::shared_ptr<const Thunk>> thunks;  // executables for other sizes may share them
  std::uint64_t temporary_bytes = 0;                 // size of the block of temporaries
  std::uint64_t peak_bytes = 0;  // inputs, outputs, constants and temporaries alive at the same time

  // Tells which thunks run on which stream. Null if all run on the compute stream, one after the other.
  std::shared_ptr<const Schedule> schedule;

  // Runs before the first launch; null if the thunks have nothing to prepare.
  std::shared_ptr<Preparation> preparation;

  std::shared_ptr<const void> code;  // keeps generated machine code mapped
  // Describes the instructions of the program and which of them each thunk runs. Makes a new description at each call, on any
  // thread. Null if nothing is known.
  std::function<ProgramDescription()> describe;
  // Provides memory for outputs that take over no input; if null, the device does. A device that has just run such a program
  // stays awake for a moment, for the next launch.
  std::shared_ptr<KeptBlocks> kept_blocks;

  // Of a program that is launched again and again, as far as it is known: what each launch gives to the next one, and the first input that
  // belongs to the next step already, as all inputs after it do.
  std::vector<Carried> carried;
  std::size_t first_of_next = std::numeric_limits<std::size_t>::max();

  LayoutId input_layout(std::size_t i) const { return input_layouts.empty() ? LayoutId() : input_layouts[i]; }
  LayoutId output_layout(std::size_t i) const { return output_layouts.empty() ? LayoutId() : output_layouts[i]; }
  std::uint64_t output_bytes(std::size_t i) const { return allocations[outputs[i].allocation].bytes * devices; }
};

}  // namespace weft::runtime
