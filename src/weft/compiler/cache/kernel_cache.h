// Machine code of kernels, kept for the process and on disk: programs that differ only in sizes, as those of one function for other
// shapes do, share their kernels, and a later process finds them again. Only the first of all waits for LLVM.  Thread-safe.
#pragma once

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

class DiskCache;

class KernelCache {
 public:
  static KernelCache& instance();

  struct Found {
    std::vector<KernelAddress> kernels;               // in the order of the sources
    std::vector<std::shared_ptr<const void>> owners;  // keep their code mapped
    std::size_t loaded = 0, compiled = 0;             // now: from disk or an artifact, by LLVM
    std::string miss;                                 // why the disk did not give all of them; empty: it was not asked
  };
  // The code for the target of the sources of one program, whose keys are `keys`: equal keys, equal code. Code that does not run here
  // is compiled and not mapped: its address is null.
  Found get(std::span<const KernelSource> sources, std::span<const std::string> keys, const Target& target);

  // Takes in kernels of an artifact, which are mapped when a program needs them.
  void add(std::vector<StoredKernel> kernels);
  // All that are in memory, in no order.
  std::vector<StoredKernel> all() const;

  void clear();  // the memory; the disk stays
  std::uint64_t bytes() const;

 private:
  struct Entry {
    std::string key;
    KernelAddress kernel;  // null: not mapped yet
    std::shared_ptr<const std::string> object;
    std::shared_ptr<const void> owner;

    std::uint64_t bytes() const;
  };
  // What a call of get works on.
  struct Request {
    const Target& target;
    std::span<const KernelSource> sources;
    std::span<const std::string> keys;
    std::vector<std::shared_ptr<const std::string>> objects;  // found so far
    std::vector<std::size_t> unmapped;                        // the sources whose code is not mapped
    std::vector<std::size_t> missing;                         // of them, those that have no object either
  };
  Found get_known_by(std::span<const KernelSource> sources, std::span<const std::string> keys, const Target& target);
  void take_from_memory(Request& request, Found& found);
  static void take_from_disk(Request& request, const DiskCache& disk, const std::string& name, Found& found);
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
