// Compiled programs by the fingerprint of the recorded graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <weft/base/hash.h>
#include <weft/compiler/compiler.h>
#include <weft/ir/graph.h>
#include <weft/record/immediates.h>
#include <weft/runtime/executable.h>

namespace weft::record {

struct Plan {
  std::shared_ptr<const runtime::Executable> executable;
  std::shared_ptr<const compiler::Report> report;  // of its compilation; null if it is interpreted
  std::shared_ptr<const ir::Graph> graph;          // compared with on a hit; release builds drop it after enough hits
  int verified_hits = 0;
  ImmediatePool immediates;
  std::mutex mutex;  // guards what a launch changes
};

// Returns the bytes that a plan keeps in memory, without machine code, which plans share and the kernel cache counts.
std::uint64_t bytes_of(const Plan& plan);

// Bounded by WEFT_GRAPH_CACHE_ENTRIES and WEFT_GRAPH_CACHE_BYTES; evicts the least recently used plan first. Thread-safe.
class PlanCache {
 public:
  static PlanCache& instance();

  std::shared_ptr<Plan> find(const Fingerprint& key);  // null if there is none
  void insert(const Fingerprint& key, std::shared_ptr<Plan> plan);
  void clear();
  bool contains(const Fingerprint& key) const;
  bool has_evicted(const Fingerprint& key) const;  // recently
  std::size_t size() const;
  std::uint64_t bytes() const;

 private:
  struct Entry {
    Fingerprint key;
    std::shared_ptr<Plan> plan;
    std::uint64_t bytes;
  };
  using Entries = std::list<Entry>;
  void erase(Entries::iterator entry);

  mutable std::mutex mutex_;
  Entries entries_;  // most recently used first
  std::unordered_map<Fingerprint, Entries::iterator, FingerprintHash> by_key_;
  std::uint64_t bytes_ = 0;
  std::deque<Fingerprint> evicted_;  // the last ones, for messages
};

}  // namespace weft::record
