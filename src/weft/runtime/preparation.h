// Prepares thunks before their first run, such as by generating code for sizes that were not known before: all thunks of an
// executable at once, on as many threads as kernels have. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <weft/runtime/thunk.h>

namespace weft::runtime {

class Preparation {
 public:
  explicit Preparation(std::vector<std::shared_ptr<const Thunk>> thunks) : thunks_(std::move(thunks)) {}

  // Returns when all thunks are prepared. A thunk that cannot be prepared reports the error when it runs.
  void run();

 private:
  void run_all() const;

  std::once_flag once_;
  const std::vector<std::shared_ptr<const Thunk>> thunks_;
};

}  // namespace weft::runtime
