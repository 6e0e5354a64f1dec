// The buffers that carry numbers of the host into launches. They are reused once no launch reads them, so that a step with a
// thousand numbers allocates nothing. Not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/record/observer.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

// Serves launches of one executable: the types of the numbers are always the same.
class ImmediatePool {
 public:
  // Puts a buffer with the next of `values` into every empty place of `inputs`; `types` are the types of all inputs.
  void fill(std::span<runtime::BufferPtr> inputs, std::span<const Type> types, std::span<const Immediate> values);

 private:
  struct Block {
    runtime::Memory memory;        // the memory of all buffers of the block
    std::byte* numbers = nullptr;  // address in that memory, which is the host's
    std::vector<runtime::BufferPtr> buffers;
  };
  static bool in_use(const Block& block);
  static Block make(std::span<const runtime::BufferPtr> inputs, std::span<const Type> types, std::size_t count);

  std::vector<Block> blocks_;
};

}  // namespace weft::record
