// A compiled function without its C++ types: its specialisations, which of them fits a call, and what becomes of a call that none
// fits. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/explanation.h>
#include <weft/jit/options.h>
#include <weft/jit/trace.h>

namespace weft::jit {

class Function {
 public:
  Function(CompileOptions options, const std::source_location& where);

  // The call belongs to the graph of the function that calls it, or of the loop body around it.
  static bool called_inside();

  // What is known for a call. Nothing to replay: it must be recorded, and be what a replay of `checked`, if any, would have been.
  struct Found {
    std::shared_ptr<const Specialization> replayed, checked;
  };
  Found find(std::span<const Leaf> leaves);

  // Runs the function through `run`, which returns the tensors of its result, and keeps what was learned. `prototype` then gives
  // a copy of the result without tensors. Throws Error if a replay of `checked` would have done something else.
  void record(std::span<const Leaf> leaves, std::vector<std::string> paths,
              const std::function<std::vector<Tensor>()>& run, const std::function<std::shared_ptr<void>()>& prototype,
              const std::shared_ptr<const Specialization>& checked);

  // The specialisation of the last call. Throws Error if there is none that can be replayed.
  std::shared_ptr<const Specialization> last() const;

  Explanation explain() const;
  const std::string& name() const { return options_.name; }

 private:
  std::string limit_reached() const;
  void count(const GraphBreak& cut);
  void keep(std::shared_ptr<Specialization> made);

  CompileOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Specialization>> specializations_;  // the last used first
  std::uint64_t calls_ = 0, recorded_ = 0, compiles_ = 0, evicted_ = 0;
  std::vector<Explanation::Break> breaks_;
  std::vector<std::string> recompiles_;
};

}  // namespace weft::jit
