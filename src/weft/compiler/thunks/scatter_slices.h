// The slices of memory that a scatter reads and writes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <weft/runtime/executable.h>

namespace weft::compiler {

class ScatterSlices {
 public:
  // `from` lists operands, indices and updates, `to` as many results as operands.
  ScatterSlices(std::span<const runtime::Slice> from, std::span<const runtime::Slice> to)
      : operands_(from.begin(), from.begin() + std::ssize(to)),
        updates_(from.end() - std::ssize(to), from.end()),
        results_(to.begin(), to.end()),
        indices_(from[to.size()]) {}

  struct Addresses {
    std::byte* indices;
    std::vector<std::byte*> results, updates;
  };
  // Copies the operands to the results, unless they are the same memory.
  Addresses begin(const runtime::Launch& launch) const;

 private:
  std::vector<runtime::Slice> operands_, updates_, results_;
  runtime::Slice indices_;
};

}  // namespace weft::compiler
