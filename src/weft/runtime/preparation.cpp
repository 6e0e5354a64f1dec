#include <weft/runtime/preparation.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>

#include <weft/base/threads.h>
#include <weft/base/trace.h>
#include <weft/runtime/parallel.h>

namespace weft::runtime {

void Preparation::run() {
  std::call_once(once_, [this] { run_all(); });
}

// Runs on threads that end with it: inside a kernel's thread, a library would assume that it has only one thread, and generate
// code for that.
void Preparation::run_all() const {
  const trace::Scope scope("compile", "prepare");
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < thunks_.size(); i = next++) {
      try {
        thunks_[i]->prepare();
      } catch (const std::exception&) {  // the error occurs again when the thunk runs, and then has a name and a place
      }
    }
  };
  const std::int64_t count = std::min<std::int64_t>(thread_count(), std::ssize(thunks_));
  const std::vector<std::jthread> others = start_threads(std::max<std::int64_t>(count - 1, 0), work);
  work();
}

}  // namespace weft::runtime
