#include <weft/tensor/plan_cache.h>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>

namespace weft::metrics {
inline constinit Counter graph_cache_evictions("GraphCacheEvictions");  // programs forgotten to make room
}

namespace weft::detail {

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
  if (const auto found = by_key_.find(key); found != by_key_.end()) entries_.erase(found->second);
  entries_.push_front({key, std::move(plan)});
  by_key_[key] = entries_.begin();
  while (entries_.size() > static_cast<std::size_t>(knobs::graph_cache_entries())) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
    metrics::graph_cache_evictions.add();
  }
}

void PlanCache::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace weft::detail
