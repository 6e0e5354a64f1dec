#include <weft/runtime/thread_scratch.h>

#include <memory>
#include <new>

namespace weft::runtime {

std::byte* scratch_of_this_thread(std::size_t bytes) {
  constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };
  thread_local std::unique_ptr<std::byte, Free> block;
  thread_local std::size_t size = 0;
  if (bytes > size) {
    block.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
    size = bytes;
  }
  return block.get();
}

}  // namespace weft::runtime
