// An Executable is a compiled graph: thunks in an order that honours their reads and writes, the allocations they work on, and
// how inputs and outputs are bound. Immutable once made; shared by any number of launches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weft/base/type.h>
#include <weft/runtime/kept_blocks.h>
#include <weft/runtime/preparation.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct ProgramDescription;
struct Schedule;

// One range of memory that slices refer to.
struct Allocation {
  enum class Kind : std::uint8_t {
    input,      // bytes of input `index`
    output,     // bytes of output `index`, made for the launch; or those of a donated input
    constant,   // bytes held by the executable, never written
    temporary,  // bytes of the launch alone, at `offset` of its one block of temporaries
  };
  Kind kind = Kind::temporary;
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;                        // of a temporary
  std::shared_ptr<const std::byte> constant = {};  // of a constant
};

struct Output {
  Type type;
  std::uint32_t allocation = 0;     // of kind output, or input where an input is passed through unchanged
  std::int32_t donated_input = -1;  // the input whose bytes this output takes over
};

struct Executable {
  std::string name;
  std::vector<Type> inputs;
  std::vector<Output> outputs;
  std::vector<Allocation> allocations;
  std::vector<std::shared_ptr<const Thunk>> thunks;  // an executable for other sizes may have the same
  std::uint64_t temporary_bytes = 0;                 // size of the block of temporaries
  std::uint64_t peak_bytes = 0;                      // inputs, outputs, constants and temporaries alive at once

  // Which thunks run on which stream. Null: all run on the compute stream, one after the other.
  std::shared_ptr<const Schedule> schedule;

  // Before the first launch; null: the thunks have nothing to make.
  std::shared_ptr<Preparation> preparation;

  std::shared_ptr<const void> code;  // keeps generated machine code mapped
  // Describes what the program is made of, and which thunk runs what. The description is made at each call, on any thread; null where
  // nothing is known.
  std::function<ProgramDescription()> describe;
  // Where outputs that take over no input get their memory; null: from the device. A device that ran such a program stays awake for
  // a moment, for the next launch.
  std::shared_ptr<KeptBlocks> kept_blocks;
};

}  // namespace weft::runtime
