// What was compiled, by what was recorded.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <weft/base/hash.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>
#include <weft/tensor/immediates.h>

namespace weft::detail {

struct Plan {
  std::shared_ptr<const runtime::Executable> executable;
  std::shared_ptr<const ir::Graph> graph;  // to compare with on a hit; dropped after enough of them in release builds
  int verified_hits = 0;
  ImmediatePool immediates;
  std::mutex mutex;  // of what a launch changes
};

// The least recently used plan leaves first. Thread-safe.
class PlanCache {
 public:
  static PlanCache& instance();

  std::shared_ptr<Plan> find(const Fingerprint& key);  // null: none
  void insert(const Fingerprint& key, std::shared_ptr<Plan> plan);
  void clear();
  std::size_t size() const;

 private:
  struct Entry {
    Fingerprint key;
    std::shared_ptr<Plan> plan;
  };
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Fingerprint, std::list<Entry>::iterator, FingerprintHash> by_key_;
};

}  // namespace weft::detail
