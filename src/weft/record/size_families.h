// Programs for graphs that differ only in sizes. The second such graph is compiled to a sized program: sizes that changed
// become symbols, and the program for further sizes is computed by arithmetic only. Recordings and compiled functions share it:
// both pass graphs for which no program is known. Each node is checked to decide whether a sized program serves a graph, so the
// host may compute anything from sizes while it records. Internal to the tensor and jit layers. Thread-safe.
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
#include <weft/base/status.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/general.h>
#include <weft/record/plan_cache.h>

namespace weft::record {

// Returns whether graphs of this thread may share sized programs, as the innermost scope says; initially true.
bool sizes_are_symbols();
// Returns whether graphs that may not are remembered as samples, for when they may.
bool sizes_are_sampled();
// Returns a value that separates families: graphs with different values share none, whatever else they have in common.
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

  // Identifies a family: the graph without sizes, and everything else on which a program depends.
  using Key = Fingerprint;

  struct Family;
  // The result of find(): what is known for a graph that has no program of its own.
  struct Known {
    Key key = {};
    std::shared_ptr<Family> family = {};  // null: the graph is the first of its family
    // Made from the sized program, with the report of that program; null: the sized program does not serve the graph.
    std::shared_ptr<const runtime::Executable> executable = {};
    std::shared_ptr<const compiler::Report> report = {};
    // The program that does not serve the graph though it has the right sizes.
    std::shared_ptr<const compiler::SizedProgram> refusing = {};
    // The size relations that the graph violates, and which the sized program assumes.
    std::vector<ir::SizeRelation> broken = {};
  };
  Known find(const Key& key, const std::shared_ptr<const ir::Graph>& graph);

  // Makes a sized program from the graphs seen so far and this one, which has its outputs and was passed to find(), and from
  // the sized program the program for this graph. Fails if the graph is the first of its family, or if the graphs have
  // no program in common; then it must be compiled for its sizes only. The reason is empty for the first graph.
  Result<std::shared_ptr<const runtime::Executable>> compile(Known known, std::shared_ptr<const ir::Graph> graph,
                                                             const compiler::Options& options,
                                                             std::optional<compiler::Report>& report);

  // Adds a graph that nobody ran as a sample for compile(): a graph of the same function for other sizes.
  void add_sample(const Key& key, std::shared_ptr<const ir::Graph> graph);

  void clear();

 private:
  // Returns the first family of this key.
  std::shared_ptr<Family> family(const Key& key, bool make);
  // Returns the family, from `first` on, whose graphs have the structure of this one except for broadcasts. If there is none,
  // returns a new one if `make`, else null.
  static std::shared_ptr<Family> fitting(std::shared_ptr<Family> first, const std::shared_ptr<const ir::Graph>& graph,
                                         bool make);
  // `matches` receives whether the general graph equals this one at its sizes.
  static Result<std::shared_ptr<const runtime::Executable>> at(const Family& family,
                                                               std::shared_ptr<const ir::Graph> graph, bool& matches);
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
  // Returns whether the graph has this structure, except for broadcasts.
  bool fits(const std::shared_ptr<const ir::Graph>& graph) const;
  // Adds a sample. All samples then have one structure, with the broadcasts of all of them. Returns false, and changes nothing,
  // if the graph does not fit.
  bool add(const std::shared_ptr<const ir::Graph>& graph);

  std::mutex mutex;
  std::shared_ptr<Family> next;  // has the same key, but graphs that cannot be aligned with those of this one
  std::vector<std::shared_ptr<const ir::Graph>> samples;
  ir::General general;
  std::shared_ptr<const compiler::Report> report;
  std::shared_ptr<const compiler::SizedProgram> program;  // of `general`
  std::size_t attempts = 0;                               // to make a program
  Status last_attempt = {};                               // to make a program
};

}  // namespace weft::record
