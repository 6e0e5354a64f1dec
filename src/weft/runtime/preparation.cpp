#include <weft/runtime/preparation.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>

#include <system_error>

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
  std::vector<std::jthread> others;
  const std::size_t count = std::min(static_cast<std::size_t>(thread_count()), thunks_.size());
  try {
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads can be started, so the existing ones do all the work.
  }
  work();
}

}  // namespace weft::runtime
