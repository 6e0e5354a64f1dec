#include <weft/runtime/staging.h>

#include <utility>

namespace weft::runtime {

Staging::Kept& Staging::kept_by_this_thread() {
  thread_local Kept kept;  // several threads may exchange messages at once
  return kept;
}

std::byte* Staging::take(std::size_t bytes) {
  if (!std::exchange(has_begun_, true)) block_ = std::exchange(kept_by_this_thread(), {});
  constexpr auto line = static_cast<std::size_t>(alignment);
  const std::size_t begin = taken_, size = (bytes + line - 1) / line * line;
  taken_ += size;
  if (more_.empty() && taken_ <= block_.size) return block_.block.get() + begin;
  return more_.emplace_back(allocated(size)).get();
}

// The next exchange is likely to need as much.
Staging::~Staging() {
  if (!has_begun_) return;
  if (taken_ > block_.size) block_ = {allocated(taken_), taken_};
  kept_by_this_thread() = std::move(block_);
}

}  // namespace weft::runtime
