// Notices a recording that grows because nobody syncs it, and finds the places where a loop may be cut. Not thread-safe.
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
  // Returns the number of nodes from which look() is to be called before each operation of the user.
  std::size_t limit() const { return limit_; }

  // Whether the recording is to be synced here: its last operations are those of a round that was recorded over and over.
  // Rounds end where `graph` ended when a gradient had been taken, if they take any: before, a gradient could be cut in two.
  bool look(const ir::Graph& graph);
  void differentiated(const ir::Graph& graph) { gradients_.push_back(operations_of(graph)); }
  void cleared();  // the recording begins anew

 private:
  // Inputs are no operations: where a loop is cut, values become inputs.
  static std::size_t operations_of(const ir::Graph& graph) { return graph.nodes().size() - graph.inputs().size(); }
  bool find_round(const ir::Graph& graph);
  std::size_t round_at_end(std::span<const std::uint64_t> hashes,
                           bool must_cut) const;  // hashes: the last first; 0: none
  void stop_cutting();
  static std::string describe(const ir::Graph& graph, std::size_t round);

  std::vector<std::size_t> gradients_;  // operations recorded when each was taken

  std::size_t limit_ = 0;   // 0: not read from the knob yet
  std::size_t round_ = 0;   // operations of one; 0: no loop is being cut
  std::size_t due_ = 0;     // operations after which the next cut is due
  std::uint64_t hash_ = 0;  // of the operations of a round that ends where it is cut
};

}  // namespace weft::record
