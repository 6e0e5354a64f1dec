// The operations for which each operation of a program has to wait, in a program that is launched again and again.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/runtime/executable.h>

namespace weft::profile {

struct ProgramOrder {
  // For each op: earlier ops of the same launch, and ops of the launch before, after which it has to come.
  std::vector<std::vector<std::uint32_t>> after, after_last;
  // Whether it works on the next batch already.
  std::vector<bool> is_ahead;
};

ProgramOrder order_of(const runtime::Executable& executable);

}  // namespace weft::profile
