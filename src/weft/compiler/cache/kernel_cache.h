// Machine code of kernels, kept for the process and on disk: programs that differ only in sizes, as those of one function for other
// shapes do, share their kernels, and a later process finds them again. Only the first of all waits for LLVM.  Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/compiler/llvm/jit.h>

namespace weft::compiler {

class DiskCache;

class KernelCache {
 public:
  static KernelCache& instance();

  struct Found {
    std::vector<KernelAddress> kernels;               // in the order of the sources
    std::vector<std::shared_ptr<const void>> owners;  // keep their code mapped
    std::size_t loaded = 0, compiled = 0;             // now: from disk, by LLVM
  };
  // The code of the sources of one program, whose keys are `keys`: equal keys, equal code.
  Found get(std::span<const KernelSource> sources, std::span<const std::string> keys);

  // The code of one source that is not part of a program's list.
  struct Alone {
    KernelAddress kernel = nullptr;
    std::shared_ptr<const void> owner;  // keeps it mapped
  };
  Alone get(const KernelSource& source, const std::string& key);

  void clear();  // the memory; the disk stays

 private:
  struct Entry {
    std::string key;
    KernelAddress kernel;
    std::shared_ptr<const std::string> object;
    std::shared_ptr<const void> owner;
  };
  // What a call of get works on.
  struct Request {
    std::span<const KernelSource> sources;
    std::span<const std::string> keys;
    std::vector<std::shared_ptr<const std::string>> objects;  // found so far
    std::vector<std::size_t> missing;                         // the sources that have no code yet
  };
  void take_from_memory(Request& request, Found& found);
  static void take_from_disk(Request& request, const DiskCache& disk, const std::string& name, Found& found);
  static void compile(Request& request, Found& found);
  static KernelCode load(const Request& request, std::span<const std::size_t> added);
  void insert(Entry entry);

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace weft::compiler
