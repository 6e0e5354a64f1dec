#include <weft/record/plan_cache.h>

#include <algorithm>
#include <iterator>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>

namespace weft::metrics {
inline constinit Counter graph_cache_evictions("GraphCacheEvictions");  // programs that were evicted to make room
}

namespace weft::record {

namespace {
constexpr std::size_t most_remembered = 1024;  // evicted keys
}

std::uint64_t bytes_of(const Plan& plan) {
  const runtime::Executable& program = *plan.executable;
  std::uint64_t bytes = sizeof(Plan) + sizeof program + program.allocations.size() * sizeof(runtime::Allocation);
  for (const runtime::Allocation& allocation : program.allocations)
    if (allocation.kind == runtime::Allocation::Kind::constant) bytes += allocation.bytes;
  constexpr std::uint64_t thunk_bytes = 512;  // rough size of a thunk without its lists
  for (const auto& thunk : program.thunks)
    bytes += thunk_bytes + (thunk->reads.size() + thunk->writes.size()) * sizeof(runtime::Slice);
  return bytes;
}

PlanCache& PlanCache::instance() {
  static PlanCache cache;
  return cache;
}

std::shared_ptr<Plan> PlanCache::find(const Fingerprint& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->plan;
}

void PlanCache::insert(const Fingerprint& key, std::shared_ptr<Plan> plan) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) erase(found->second);
  const std::uint64_t bytes = bytes_of(*plan);
  entries_.push_front({key, std::move(plan), bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  const std::size_t most = knobs::graph_cache_entries();
  const std::uint64_t most_bytes = knobs::graph_cache_bytes();
  while (!entries_.empty() && (entries_.size() > most || bytes_ > most_bytes)) {
    evicted_.push_back(entries_.back().key);
    if (evicted_.size() > most_remembered) evicted_.pop_front();
    erase(std::prev(entries_.end()));
    metrics::graph_cache_evictions.add();
  }
}

void PlanCache::erase(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

void PlanCache::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
  evicted_.clear();
  bytes_ = 0;
}

bool PlanCache::contains(const Fingerprint& key) const {
  const std::lock_guard lock(mutex_);
  return by_key_.contains(key);
}

bool PlanCache::has_evicted(const Fingerprint& key) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(evicted_, key) != evicted_.end();
}

std::uint64_t PlanCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace weft::record
