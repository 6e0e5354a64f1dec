#include <weft/runtime/own_threads.h>

#include <future>

#include <weft/runtime/parallel.h>

namespace weft::runtime {

void run_with_own_threads(const std::function<void()>& work) {
  std::async(std::launch::async, [&] {
    adopt_thread_count();
    work();
  }).get();
}

}  // namespace weft::runtime
