// Decides for each node of a graph, before nodes are fused, whether it is stored, is part of a kernel, or is recomputed by its users, and
// which matrix products absorb the nodes behind them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/attention.h>
#include <weft/compiler/plan/epilogue.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

enum class Placed : std::uint8_t {
  unused,      // nothing needs it
  given,       // an input or a stored constant
  recomputed,  // computed again wherever it is needed: moves or widens elements, needs no inputs, or is cheap
  fused,       // part of a kernel
  own_unit,    // a unit of its own
};

class Placement {
 public:
  Placement(const ir::Graph& graph, const Options& options, const UnitMaker& maker);

  Placed placed(const ir::Node& n) const { return placed_[n.id]; }
  // Returns whether the node is a shape op that is read as a view of memory.
  bool is_view(const ir::Node& n) const { return views_[n.id]; }
  // Returns whether the node's users compute it themselves, at little or no cost.
  bool is_inlined(const ir::Node& n) const;
  // Returns the product whose result the node is, or null.
  const Matmul* matmul(const ir::Node& n) const;
  // Returns the attention that the node is, if the target has a kernel for it, or null.
  const Attention* attention(const ir::Node& n) const;
  // Returns the number of elements; unknown sizes are those of the sample, so use it only for choices that affect speed.
  std::int64_t elements_of(Type type) const;
  // Returns whether the node reads the value at positions that are data, so that the value must lie in memory.
  static bool is_searched(const ir::Node& n, ir::Value v);

  // Lowers these nodes (ascending ids) to one kernel that stores `outputs`, or a part of them.
  LoweringResult lower(std::span<const std::uint32_t> nodes, const ir::Node* reduction, std::vector<ir::Value> outputs,
                       KernelRequest::Part part = {}) const;

 private:
  ir::Node& node(std::uint32_t id) const { return *graph_.nodes()[id]; }

  // Returns whether the node is made only from constants and positions and is cheap enough to be computed again.
  bool from_nothing(const ir::Node& n) const;
  bool is_free(const ir::Node& n) const;
  // Returns whether computing a large value again takes less time than storing and loading it: few operations on much smaller values, and
  // on a GPU also on one large value that is stored anyway.
  bool is_cheaper_again(const ir::Node& n) const;
  bool is_given(const ir::Node& n) const;

  void find_what_is_from_nothing();
  // Finds concatenations whose parts are the components of the places from which gathers read.
  void find_index_vectors();
  // Moves the nodes behind products into them. In strict mode they keep the roundings of a separate kernel.
  void find_epilogues();
  void decide_placements();
  // Notes that the value is needed, in memory or not.
  void need(ir::Value v);
  // Notes that the value is needed in memory.
  void materialise(ir::Value v);
  void need_operands_stored(ir::Node& n);

  // The positions that a kernel reads must be affine in the axes of its domain. If a shape op prevents that, its operand is stored; a node
  // that still cannot be a kernel gets a unit of its own.
  void store_what_blocks();
  // Reads a dot's operands through as many shape ops as strides can express; the remaining value is stored.
  void plan_dot(ir::Node& dot, const Epilogue& epilogue);
  // The same for attention.
  void plan_attention(const ir::Node& n);

  const ir::Graph& graph_;
  const Options& options_;
  const UnitMaker& maker_;
  std::size_t count_;
  std::vector<Placed> placed_;
  std::vector<bool> views_, from_nothing_, index_vectors_;
  std::map<std::uint32_t, std::pair<ir::Node*, Epilogue>> epilogues_;  // by the node whose value the product stores
  std::map<std::uint32_t, Matmul> matmuls_;                            // by the same node
  std::map<std::uint32_t, Attention> attentions_;                      // by node
};

}  // namespace weft::compiler
