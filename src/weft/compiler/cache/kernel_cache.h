// Keeps machine code of kernels in memory, and beyond the process in a TieredCache. Programs that differ only in sizes, such as one
// function recorded for several shapes, share their kernels, and later processes find the kernels there: LLVM runs only the first time.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/compiler/cache/entry.h>
#include <weft/compiler/codegen/llvm/jit.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class TieredCache;

class KernelCache {
 public:
  static KernelCache& instance();

  struct Found {
    std::vector<KernelAddress> kernels;               // in the order of the sources
    std::vector<std::shared_ptr<const void>> owners;  // keep the code of the kernels mapped
    std::size_t loaded = 0, compiled = 0;             // by this call: from an earlier process or an artifact; by LLVM
    std::chrono::nanoseconds compile_time{0};
    std::string miss;  // why earlier processes did not leave all kernels; empty if their entries were not looked up
  };
  // Returns the code of one program's sources for the target. `keys` are the keys of the sources: equal keys mean equal code. Code for a
  // target that this process cannot run is compiled but not mapped: its address is null.
  Found get(std::span<const KernelSource> sources, std::span<const std::string> keys, const Target& target);

  // Adds the kernels of an artifact, which are mapped when a program needs them.
  void add(std::vector<StoredKernel> kernels);
  // Returns all kernels in memory, in no particular order.
  std::vector<StoredKernel> all() const;

  void clear();  // forgets what is in memory; files on disk stay
  std::uint64_t bytes() const;

 private:
  struct Entry {
    std::string key;
    KernelAddress kernel;  // null if not mapped yet
    std::shared_ptr<const std::string> object;
    std::shared_ptr<const void> owner;

    std::uint64_t bytes() const;
  };
  // The state of one call of get.
  struct Request {
    const Target& target;
    std::span<const KernelSource> sources;
    std::span<const std::string> keys;
    std::vector<std::shared_ptr<const std::string>> objects;  // found so far
    std::vector<std::size_t> unmapped;                        // sources whose code is not mapped yet
    std::vector<std::size_t> missing;                         // unmapped sources that have no object file either
  };
  Found get_known_by(std::span<const KernelSource> sources, std::span<const std::string> keys, const Target& target);
  void take_from_memory(Request& request, Found& found);
  static void take_from_earlier(Request& request, const TieredCache& earlier, const std::string& name, Found& found);
  void map(Request& request, const std::string& name, Found& found);
  static void compile(Request& request, Found& found);
  static KernelCode load(const Request& request);
  void insert(Entry entry);

  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace weft::compiler
