#include <weft/runtime/thread_scratch.h>

#include <memory>
#include <new>

namespace weft::runtime {

std::byte* scratch_of_this_thread(std::size_t bytes) {
  constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };
  struct Scratch {
    std::unique_ptr<std::byte, Free> block;
    std::size_t size = 0;
  };
  thread_local Scratch scratch;  // kernels run on many threads at once, and keep it between calls
  if (bytes > scratch.size) {
    scratch.block.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
    scratch.size = bytes;
  }
  return scratch.block.get();
}

}  // namespace weft::runtime
