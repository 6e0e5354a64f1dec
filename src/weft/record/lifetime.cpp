#include <weft/record/lifetime.h>

#include <mutex>

namespace weft::record {

Lifetime::Watch Lifetime::watch() const {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!ended_) ended_ = std::make_shared<std::atomic<bool>>(false);
  return ended_;
}

}  // namespace weft::record
