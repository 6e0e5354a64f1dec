#include <weft/compiler/cache/kernel_cache.h>

#include <utility>

#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/compiler/cache/tiered_cache.h>

namespace weft::compiler {

namespace {

// Returns the name of the function in a kernel's object file.
std::string symbol_of(const std::string& key) { return "kernel_" + hex_digest(key); }

}  // namespace

KernelCache& KernelCache::instance() {
  static KernelCache cache;
  return cache;
}

KernelCache::Found KernelCache::get(std::span<const KernelSource> sources, std::span<const std::string> keys,
                                    const Target& target) {
  if (&target == &Target::host()) return get_known_by(sources, keys, target);
  std::vector<std::string> all;
  for (const std::string& key : keys) all.push_back(concat(target.key, '\n', key));
  if (target.runs_here) return get_known_by(sources, all, target);
  std::vector<std::string> symbols;
  for (const std::string& key : all) symbols.push_back(symbol_of(key));
  make_objects(sources, symbols, target);
  Found found;
  found.kernels.resize(sources.size());
  found.compiled = sources.size();
  return found;
}

KernelCache::Found KernelCache::get_known_by(std::span<const KernelSource> sources, std::span<const std::string> keys,
                                             const Target& target) {
  Found found;
  if (sources.empty()) return found;
  found.kernels.resize(sources.size());
  Request request{target, sources, keys, std::vector<std::shared_ptr<const std::string>>(sources.size()), {}, {}};
  take_from_memory(request, found);
  const auto earlier = TieredCache::from_knobs();
  const std::string name = earlier ? entry_name(keys) : "";
  const std::size_t imported = found.loaded = request.unmapped.size() - request.missing.size();
  if (earlier && !request.missing.empty()) take_from_earlier(request, earlier, name, found);
  if (!request.unmapped.empty()) map(request, name, found);
  // The kernels may all have come into memory through other programs; the next process still needs an entry for this one.
  if (earlier && (found.compiled + imported != 0 || !earlier.has(name))) {
    std::vector<StoredKernel> kernels;
    for (std::size_t i = 0; i < keys.size(); ++i) kernels.push_back({keys[i], *request.objects[i]});
    earlier.write(name, std::move(kernels), found.compile_time);
  }
  return found;
}

// Compiles what is missing and maps the code. Code from disk or from an artifact may fail to load; then all unmapped code is compiled.
void KernelCache::map(Request& request, const std::string& name, Found& found) {
  compile(request, found);
  KernelCode code;
  try {
    code = load(request);
  } catch (const InternalError& error) {
    if (found.loaded == 0) throw;
    WEFT_LOG(cache, "missed ", name, ": ", error.what());
    found.miss = error.what();
    found.loaded = 0;
    request.missing = request.unmapped;
    compile(request, found);
    code = load(request);
  }
  found.owners.push_back(code.owner);
  const std::lock_guard lock(mutex_);
  for (std::size_t j = 0; j < request.unmapped.size(); ++j) {
    const std::size_t i = request.unmapped[j];
    found.kernels[i] = code.kernels[j];
    insert({request.keys[i], code.kernels[j], request.objects[i], code.owner});
  }
}

void KernelCache::take_from_memory(Request& request, Found& found) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const auto at = by_key_.find(request.keys[i]);
    if (at == by_key_.end()) {
      request.unmapped.push_back(i);
      request.missing.push_back(i);
      continue;
    }
    entries_.splice(entries_.begin(), entries_, at->second);
    const Entry& entry = entries_.front();
    request.objects[i] = entry.object;
    if (!entry.kernel) {
      request.unmapped.push_back(i);
      continue;
    }
    found.kernels[i] = entry.kernel;
    found.owners.push_back(entry.owner);
  }
}

void KernelCache::take_from_earlier(Request& request, const TieredCache& earlier, const std::string& name,
                                    Found& found) {
  const auto stored = earlier.read(name);
  found.miss = stored.reason();
  if (!stored) return;
  std::unordered_map<std::string_view, const StoredKernel*> by_key;
  for (const StoredKernel& kernel : *stored) by_key.emplace(kernel.key, &kernel);
  std::erase_if(request.missing, [&](std::size_t i) {
    const auto at = by_key.find(request.keys[i]);
    if (at == by_key.end()) return false;
    request.objects[i] = std::make_shared<const std::string>(at->second->object);
    ++found.loaded;
    return true;
  });
}

void KernelCache::compile(Request& request, Found& found) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<KernelSource> sources;
  std::vector<std::string> symbols;
  for (const std::size_t i : request.missing) {
    sources.push_back(request.sources[i]);
    symbols.push_back(symbol_of(request.keys[i]));
  }
  std::vector<std::string> objects = make_objects(sources, symbols, request.target);
  for (std::size_t j = 0; j < objects.size(); ++j)
    request.objects[request.missing[j]] = std::make_shared<const std::string>(std::move(objects[j]));
  found.compiled = sources.size();
  found.compile_time += std::chrono::steady_clock::now() - start;
}

KernelCode KernelCache::load(const Request& request) {
  std::vector<std::string> symbols;
  for (const std::size_t i : request.unmapped) symbols.push_back(symbol_of(request.keys[i]));
  if (request.target.is_gpu) {
    std::vector<std::shared_ptr<const std::string>> images;
    for (const std::size_t i : request.unmapped) images.push_back(request.objects[i]);
    return gpu_kernels(images, symbols, request.target);
  }
  std::vector<const std::string*> objects;
  for (const std::size_t i : request.unmapped) objects.push_back(request.objects[i].get());
  return load_objects(objects, symbols);
}

// The object file and its mapped code have about the same size.
std::uint64_t KernelCache::Entry::bytes() const { return sizeof(Entry) + key.size() + 2 * object->size(); }

void KernelCache::insert(Entry entry) {
  if (const auto at = by_key_.find(entry.key); at != by_key_.end()) {
    if (at->second->kernel) return;  // another thread was faster
    bytes_ -= at->second->bytes();
    const auto unmapped = at->second;
    by_key_.erase(at);
    entries_.erase(unmapped);
  }
  bytes_ += entry.bytes();
  entries_.push_front(std::move(entry));
  by_key_.emplace(entries_.front().key, entries_.begin());
  while (bytes_ > static_cast<std::uint64_t>(knobs::kernel_cache_bytes()) && !entries_.empty()) {
    bytes_ -= entries_.back().bytes();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void KernelCache::add(std::vector<StoredKernel> kernels) {
  const std::lock_guard lock(mutex_);
  for (StoredKernel& kernel : kernels)
    if (!by_key_.contains(kernel.key))
      insert({std::move(kernel.key), nullptr, std::make_shared<const std::string>(std::move(kernel.object)), nullptr});
}

std::vector<StoredKernel> KernelCache::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<StoredKernel> kernels;
  for (const Entry& entry : entries_) kernels.push_back({entry.key, *entry.object});
  return kernels;
}

void KernelCache::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
  bytes_ = 0;
}

std::uint64_t KernelCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace weft::compiler
