#include <weft/pjrt/forked.h>

#include <atomic>

#include <pthread.h>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

std::atomic<bool> is_forked = false;

}  // namespace

void watch_forks() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  require(watched == 0, "weft cannot watch for forks: error ", watched);
}

void require_not_forked() {
  require(!is_forked.load(std::memory_order_relaxed),
          "this process was forked after weft had started, and has no threads to run programs with; start it with "
          "another method, such as "
          "multiprocessing.set_start_method(\"spawn\")");
}

}  // namespace weft::pjrt
