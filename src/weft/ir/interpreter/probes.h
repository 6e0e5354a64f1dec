// The values that interpreter.probe recorded during one run.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/array.h>

namespace weft::ir::interpreter {

// Thread-safe.
class Probes {
 public:
  void add(std::string_view name, const Array& array) {
    const std::lock_guard lock(mutex_);
    seen_[std::string(name)].push_back(array);
  }

  // Returns the value with index `iteration` that was recorded under this name. Throws Error if there is none.
  Array at(std::string_view name, std::size_t iteration) {
    const std::lock_guard lock(mutex_);
    const std::vector<Array>& seen = seen_[std::string(name)];
    require(iteration < seen.size(), "probe ", name, ": there are ", seen.size(), " values, but none with index ",
            iteration);
    return seen[iteration];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<Array>> seen_;
};

}  // namespace weft::ir::interpreter
