// Memory for what messages carry, during one exchange. Each thread keeps it for its next exchange: the kernel clears new memory, page by
// page, which takes as long as half of an exchange.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace weft::runtime {

class Staging {
 public:
  Staging() = default;
  ~Staging();  // on the thread that has called take()
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Returns memory that is aligned to a cache line, and valid as long as this object.
  std::byte* take(std::size_t bytes);

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };
  using Block = std::unique_ptr<std::byte, Free>;
  struct Kept {
    Block block;
    std::size_t size = 0;
  };
  static Block allocated(std::size_t bytes) { return Block(static_cast<std::byte*>(::operator new(bytes, alignment))); }
  static Kept& kept_by_this_thread();

  Kept block_;               // the thread's, while it is here
  std::vector<Block> more_;  // what did not fit
  std::size_t taken_ = 0;    // bytes, in all blocks
  bool has_begun_ = false;
};

}  // namespace weft::runtime
