// The local form of a node: the node that one device of a mesh runs on its shards.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <weft/ir/factors.h>

namespace weft::ir {

// What a rule for Op::local is given.
struct LocalCall {
  const Node& node;
  Graph& graph;
  std::span<const Value> operands;      // shards, with their halos
  std::span<const Type> types;          // of the device's shards of the results
  std::span<const Sharding> shardings;  // of the results
  const Factors& factors;
  const Mesh& mesh;
  const FactorAxes& axes;  // along which the factors are split
  // Returns the device's coordinate along an axis, of type tensor<i64>.
  const std::function<Value(int axis)>& coordinate;

  // Returns which of the shards of a result's dimension the device has, of type tensor<i64>.
  Value position(int result, int dim) const;
  // Returns which of the shards of a factor the device has, of type tensor<i64>.
  Value position(int factor) const;
};

// Appends the node with the sizes of the device's shards, on these operands, and returns its results.
std::vector<Value> append_smaller(const LocalCall& call, std::span<const Value> operands);

// Appends the local form of a node whose factors are split along these axes, and returns its results: the shards, or the parts, that
// Factors::result_sharding says. The operands are shards as Factors::operand_sharding says, with their halos where a factor is split. All
// must be shardings.
std::vector<Value> append_local(Graph& graph, const Node& node, std::span<const Value> operands, const Factors& factors,
                                const Mesh& mesh, const FactorAxes& axes,
                                const std::function<Value(int axis)>& coordinate);

}  // namespace weft::ir
