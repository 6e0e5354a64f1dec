// What the thunks of an executable depend on, derived from what they read and write.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/runtime/executable.h>

namespace weft::runtime {

// Identifies the memory in which each allocation lies: that of an input, of an output that takes over none, or its own.
class Memories {
 public:
  explicit Memories(const Executable& executable) : executable_(executable) {}
  std::uint64_t of(std::uint32_t allocation) const;

 private:
  const Executable& executable_;
};

// Returns for each thunk earlier thunks after which it has to come: those that write what it reads, those that touch what it writes, and
// earlier side effects if it has one. Others follow from these.
std::vector<std::vector<std::uint32_t>> dependencies(const Executable& executable);

// Where values come from, whichever memory they use.
struct Flow {
  struct Sources {
    std::vector<std::uint32_t> thunks, inputs;
  };
  std::vector<Sources> thunks;   // of what each thunk reads
  std::vector<Sources> outputs;  // of each output
};
Flow flow_of(const Executable& executable);

}  // namespace weft::runtime
