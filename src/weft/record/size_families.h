// Programs of graphs that differ only in sizes. The second such graph is compiled for all sizes at once: sizes that changed become
// symbols, and graphs of further sizes are given the program by arithmetic alone. Recordings and compiled functions share it: both
// come here with a graph that no program is known for. Whether a program serves a graph is checked node by node, so that what the
// host computes from sizes while it records may be anything.  Internal to the tensor and jit layers. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <weft/base/hash.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/general.h>
#include <weft/record/plan_cache.h>

namespace weft::record {

// Whether graphs of this thread take part: what the innermost scope says, at first yes.
bool sizes_are_symbols();
// Whether graphs that do not take part are remembered, for when they do.
bool sizes_are_sampled();
// Graphs that differ in it are of different families, whatever else they have in common.
std::uint64_t sizes_apart();
class SymbolicSizesScope {
 public:
  explicit SymbolicSizesScope(bool on, bool sampled = false, std::uint64_t apart = 0);
  ~SymbolicSizesScope();
  SymbolicSizesScope(const SymbolicSizesScope&) = delete;
  SymbolicSizesScope& operator=(const SymbolicSizesScope&) = delete;

 private:
  bool on_before_, sampled_before_;
  std::uint64_t apart_before_;
};

class SizeFamilies {
 public:
  static SizeFamilies& instance();

  // What a family has in common: the graph without sizes, and all else that a program depends on.
  using Key = Fingerprint;

  struct Family;
  // What is known for a graph that has no program of its own.
  struct Known {
    Key key = {};
    std::shared_ptr<Family> family = {};  // null: it is the first
    // Out of the program for many sizes, and that one's report; null: it does not serve the graph.
    std::shared_ptr<const runtime::Executable> executable = {};
    std::shared_ptr<const compiler::Report> report = {};
    std::shared_ptr<const compiler::SizedProgram> refusing = {};  // it has these sizes, and does not serve them
    std::vector<ir::SizeRelation> broken = {};                    // why it has not: sizes that were related are not
  };
  Known find(const Key& key, const std::shared_ptr<const ir::Graph>& graph);

  // A program for many sizes from the graphs seen so far and this one, which has its outputs and is what find() was asked for, and
  // from it the program for this graph. Null: it is the first of its family, or they have no program in common; it is to be
  // compiled alone; `why_single_size` says why, but of the first.
  std::shared_ptr<const runtime::Executable> compile(Known known, std::shared_ptr<const ir::Graph> graph,
                                                     const compiler::Options& options,
                                                     std::optional<compiler::Report>& report,
                                                     std::string& why_single_size);

  // A graph that nobody ran, for compile() to learn from: the same function's, for other sizes.
  void add_sample(const Key& key, std::shared_ptr<const ir::Graph> graph);

  void clear();

 private:
  // The first family of this key.
  std::shared_ptr<Family> family(const Key& key, bool make);
  // That of these whose graphs have the structure of this one, broadcasts aside; a new one, or null, if there is none.
  static std::shared_ptr<Family> fitting(std::shared_ptr<Family> first, const std::shared_ptr<const ir::Graph>& graph,
                                         bool make);
  // `matches`: the general graph is this one at its sizes.
  static std::shared_ptr<const runtime::Executable> at(const Family& family, std::shared_ptr<const ir::Graph> graph,
                                                       std::string& why_not, bool& matches);
  static void build(Family& family, const compiler::Options& options, std::optional<compiler::Report>& report);

  struct Entry {
    Key key;
    std::shared_ptr<Family> family;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, FingerprintHash> by_key_;
};

struct SizeFamilies::Family {
  // A graph of this structure, broadcasts aside.
  bool fits(const std::shared_ptr<const ir::Graph>& graph) const;
  // All samples then have one structure, with the broadcasts of all of them. Returns false, and changes nothing, if it does not fit.
  bool add(const std::shared_ptr<const ir::Graph>& graph);

  std::mutex mutex;
  std::shared_ptr<Family> next;  // of the same key: its graphs cannot be aligned with those of this one
  std::vector<std::shared_ptr<const ir::Graph>> samples;
  ir::General general;
  std::shared_ptr<const compiler::Report> report;
  std::shared_ptr<const compiler::SizedProgram> program;  // of `general`
  std::size_t attempts = 0;                               // to make one
  std::string why_not;                                    // the last one failed
};

}  // namespace weft::record
