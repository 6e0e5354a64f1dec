// The entries that earlier processes left: those on disk, and behind them those in the store of WEFT_CACHE_URL. What the store has is kept
// on disk, too. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <weft/base/status.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/cache/remote_cache.h>

namespace weft::compiler {

class TieredCache {
 public:
  static TieredCache from_knobs() { return {DiskCache::from_knobs(), RemoteCache::from_knobs()}; }
  TieredCache(std::shared_ptr<const DiskCache> disk, RemoteCache* remote) : disk_(std::move(disk)), remote_(remote) {}

  explicit operator bool() const { return disk_ || remote_; }

  Result<std::vector<StoredKernel>> read(const std::string& name) const;
  // Adds an entry that took `made_in` to compile or to measure. If `replaces` is given, an entry on disk stays unless it says otherwise.
  void write(const std::string& name, std::vector<StoredKernel> kernels, std::chrono::nanoseconds made_in,
             const Replaces& replaces = {}) const;
  // Returns whether there is an entry of this name on disk, or this process has read or written one in the store.
  bool has(const std::string& name) const;

 private:
  std::shared_ptr<const DiskCache> disk_;  // may be null
  RemoteCache* remote_;                    // may be null
};

}  // namespace weft::compiler
