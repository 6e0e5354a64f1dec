// What becomes of each node of a graph, decided before nodes are put together: which are stored, which are part of kernels, which
// are computed again by whoever needs them, and which matrix products take the nodes behind them in.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/epilogue.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

enum class Placed : std::uint8_t {
  unused,      // nothing needs it
  given,       // an input or a stored constant
  recomputed,  // computed again wherever it is needed: moves or widens elements, or is made from nothing
  fused,       // part of a kernel
  own_unit,    // a unit of its own
};

class Placement {
 public:
  Placement(const ir::Graph& graph, const Options& options, const UnitMaker& maker);

  Placed placed(const ir::Node& n) const { return placed_[n.id]; }
  // A shape op that is read as memory.
  bool is_view(const ir::Node& n) const { return views_[n.id]; }
  // Computed by whoever needs it, at the price of nothing or little.
  bool is_inlined(const ir::Node& n) const;
  // The product whose result the node is, if it is one's.
  const Matmul* matmul(const ir::Node& n) const;
  // As many as the sizes of the sample make it, where they are not known: good for choices of speed only.
  std::int64_t elements_of(Type type) const;
  // Whether the node reads the value at places that are data, for which it must lie in memory.
  static bool is_searched(const ir::Node& n, ir::Value v);

  // One kernel of these nodes (ascending ids) that stores `outputs`.
  LoweringResult lower(std::span<const std::uint32_t> nodes, const ir::Node* reduction,
                       std::vector<ir::Value> outputs) const;

 private:
  ir::Node& node(std::uint32_t id) const { return *graph_.nodes()[id]; }

  // Made from constants and positions alone, cheap enough to be computed again.
  bool from_nothing(const ir::Node& n) const;
  bool is_free(const ir::Node& n) const;
  bool is_given(const ir::Node& n) const;

  void find_what_is_from_nothing();
  // Takes the nodes behind products into them. In strict mode they keep the roundings of a kernel of their own.
  void find_epilogues();
  void decide_placements();
  // The node's value is needed somewhere, in memory or not.
  void need(ir::Value v);
  // The node's value is needed in memory.
  void materialise(ir::Value v);
  void need_operands_stored(ir::Node& n);

  // A kernel must be able to go from its domain to what it reads by affine positions. Where a shape op stands in the way, its
  // operand is stored; a node that still is no kernel runs alone.
  void store_what_blocks();
  // Reads a dot's operands through as many shape ops as the strides allow; what remains is stored.
  void plan_dot(ir::Node& dot, const Epilogue& epilogue);

  const ir::Graph& graph_;
  const Options& options_;
  const UnitMaker& maker_;
  std::size_t count_;
  std::vector<Placed> placed_;
  std::vector<bool> views_, from_nothing_;
  std::map<std::uint32_t, std::pair<ir::Node*, Epilogue>> epilogues_;  // by the node whose value the product stores
  std::map<std::uint32_t, Matmul> matmuls_;                            // by the same
};

}  // namespace weft::compiler
