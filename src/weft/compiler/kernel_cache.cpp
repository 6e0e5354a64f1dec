#include <weft/compiler/kernel_cache.h>

#include <weft/base/knobs.h>

namespace weft::compiler {

KernelCache& KernelCache::instance() {
  static KernelCache cache;
  return cache;
}

KernelCache::Found KernelCache::get(std::span<const Loop* const> loops, std::span<const std::string> keys) {
  Found found;
  found.kernels.resize(loops.size());
  std::vector<const Loop*> missing;
  std::vector<std::size_t> places;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (const Entry* entry = find(keys[i])) {
        found.kernels[i] = entry->kernel;
        found.owners.push_back(entry->owner);
      } else {
        missing.push_back(loops[i]);
        places.push_back(i);
      }
    }
  }
  found.compiled = missing.size();
  if (missing.empty()) return found;
  const KernelCode code = compile_kernels(missing);
  found.owners.push_back(code.owner);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    found.kernels[places[i]] = code.kernels[i];
    insert({keys[places[i]], code.kernels[i], code.owner});
  }
  return found;
}

const KernelCache::Entry* KernelCache::find(const std::string& key) {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, at->second);
  return &entries_.front();
}

void KernelCache::insert(Entry entry) {
  if (by_key_.contains(entry.key)) return;  // another thread was faster
  entries_.push_front(std::move(entry));
  by_key_.emplace(entries_.front().key, entries_.begin());
  while (entries_.size() > static_cast<std::size_t>(knobs::kernel_cache_entries())) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void KernelCache::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
}

}  // namespace weft::compiler
