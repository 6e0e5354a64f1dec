// Compiles programs before they are needed, on a thread of its own. A sync that needs a program that is in the queue waits for
// it. Internal to the tensor and jit layers. Thread-safe.
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
    std::optional<SizeFamilies::Key> family = {};           // the size family whose sized program it may become
    std::shared_ptr<std::atomic<std::uint64_t>> made = {};  // if given, counts the programs that were made
  };

  static CompileAhead& instance();
  // Drops the jobs that have not begun, and waits for the one that has.
  ~CompileAhead();

  // Adds a job at the end of the queue. Does nothing for a plan that exists or is in the queue.
  void add(Job job);
  // Waits until the plan of this key, or the plans of this family, are compiled, if they were added; they are compiled next. A
  // plan that cannot be compiled does not exist afterwards.
  static void wait_for(const Fingerprint& key) {
    if (unfinished_.load(std::memory_order_acquire) != 0) instance().wait(key);
  }

 private:
  CompileAhead() = default;
  void wait(const Fingerprint& key);
  std::list<Job>::iterator under_way(const Fingerprint& key);
  void work();

  inline static constinit std::atomic<std::size_t> unfinished_ = 0;  // lets a sync skip the lock

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> jobs_;  // the first is being compiled if is_compiling_
  bool is_compiling_ = false, stops_ = false;
  std::thread worker_;
};

}  // namespace weft::record
