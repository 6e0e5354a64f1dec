#include <weft/compiler/cache/tiered_cache.h>

#include <tuple>
#include <utility>

#include <weft/base/error.h>

namespace weft::compiler {

Result<std::vector<StoredKernel>> TieredCache::read(const std::string& name) const {
  Result<std::vector<StoredKernel>> kernels = disk_ ? disk_->read(name) : Status::failed("there is no cache on disk");
  if (kernels || !remote_) return kernels;
  auto remote = remote_->read(name);
  if (!remote) return Status::failed(concat(kernels.reason(), "; ", remote_->url(), ": ", remote.reason()));
  if (disk_) std::ignore = disk_->write(name, *remote);
  return remote;
}

void TieredCache::write(const std::string& name, std::vector<StoredKernel> kernels, std::chrono::nanoseconds made_in,
                        const Replaces& replaces) const {
  bool stays = false;
  const Replaces asked = [&](std::span<const StoredKernel> kept) { return !(stays = !replaces(kept)); };
  if (disk_) std::ignore = disk_->write(name, kernels, replaces ? asked : Replaces());
  if (remote_ && !stays) remote_->write({name, std::move(kernels), made_in});
}

bool TieredCache::has(const std::string& name) const {
  return (disk_ && disk_->has(name)) || (remote_ && remote_->has(name));
}

}  // namespace weft::compiler
