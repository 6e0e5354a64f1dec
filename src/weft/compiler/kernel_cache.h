// Machine code of loops, kept for the process: programs that differ only in sizes, as those of one function for other shapes do,
// share their kernels, so that only the first of them waits for LLVM.  Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/compiler/llvm/jit.h>

namespace weft::compiler {

class KernelCache {
 public:
  static KernelCache& instance();

  struct Found {
    std::vector<Kernel> kernels;                      // in the order of the loops
    std::vector<std::shared_ptr<const void>> owners;  // keep their code mapped
    std::size_t compiled = 0;                         // now
  };
  // The code of loops whose keys are `keys`; compiles what is not there. As compile_kernels.
  Found get(std::span<const Loop* const> loops, std::span<const std::string> keys);

  void clear();

 private:
  struct Entry {
    std::string key;
    Kernel kernel;
    std::shared_ptr<const void> owner;
  };
  const Entry* find(const std::string& key);
  void insert(Entry entry);

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace weft::compiler
