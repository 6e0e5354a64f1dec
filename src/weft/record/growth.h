// Detects a recording that grows because it is never synced, and finds the places where a loop may be cut. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/base/hash.h>
#include <weft/ir/graph.h>

namespace weft::record {

class Growth {
 public:
  // Returns the number of nodes from which on look() must be called before each operation of the user.
  std::size_t limit() const { return limit_; }

  // Returns whether the recording should be synced here: its last operations are a round that was recorded repeatedly. If
  // rounds take gradients, they end where `graph` ended when a gradient had been taken; a sync before that could cut a gradient
  // in two.
  bool look(const ir::Graph& graph);
  void differentiated(const ir::Graph& graph) { gradients_.push_back(operations_of(graph)); }
  void cleared();  // a new recording begins

 private:
  // Inputs do not count as operations: where a loop is cut, values become inputs.
  static std::size_t operations_of(const ir::Graph& graph) { return graph.nodes().size() - graph.inputs().size(); }
  bool find_round(const ir::Graph& graph);
  // `hashes` has the last operation first. Returns 0 if there is no round.
  std::size_t round_at_end(std::span<const std::uint64_t> hashes, bool must_cut) const;
  void stop_cutting();
  static std::string describe(const ir::Graph& graph, std::size_t round);

  std::vector<std::size_t> gradients_;  // for each gradient, the number of operations recorded when it was taken

  std::size_t limit_ = 0;   // 0: not read from the knob yet
  std::size_t round_ = 0;   // number of operations in a round; 0: no loop is being cut
  std::size_t due_ = 0;     // number of operations after which the next cut is due
  std::uint64_t hash_ = 0;  // hash of the operations of a round that ends at a cut
};

}  // namespace weft::record
