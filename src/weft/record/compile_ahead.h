// Programs that are compiled before somebody needs them, by a thread of their own. A sync that needs one which is under way waits
// for it. Internal to the tensor and jit layers. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <weft/base/hash.h>
#include <weft/compiler/compiler.h>
#include <weft/ir/graph.h>
#include <weft/record/size_families.h>

namespace weft::record {

class CompileAhead {
 public:
  struct Job {
    Fingerprint key;  // of the plan
    std::shared_ptr<const ir::Graph> graph;
    compiler::Options options;
    std::optional<SizeFamilies::Key> family = {};           // whose program for many sizes it may become
    std::shared_ptr<std::atomic<std::uint64_t>> made = {};  // counts those that were, if given
  };

  static CompileAhead& instance();
  // Lets go of what has not begun, and waits for what has.
  ~CompileAhead();

  // Behind those that wait already. Does nothing for a plan that is there or under way.
  void add(Job job);
  // Until the plan of this key, or those of this family, are there, if they were added: they are next then. What cannot be compiled
  // is not there afterwards either.
  static void wait_for(const Fingerprint& key) {
    if (unfinished_.load(std::memory_order_acquire) != 0) instance().wait(key);
  }

 private:
  CompileAhead() = default;
  void wait(const Fingerprint& key);
  std::list<Job>::iterator under_way(const Fingerprint& key);
  void work();

  inline static constinit std::atomic<std::size_t> unfinished_ = 0;  // so that a sync need not lock

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> jobs_;  // the first is being compiled if is_compiling_
  bool is_compiling_ = false, stops_ = false;
  std::thread worker_;
};

}  // namespace weft::record
