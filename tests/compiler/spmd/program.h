// Programs that the tests of meshes divide among devices.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/mesh.h>
#include <weft/ir/ops.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

inline const ir::Mesh eight{{"data", 8}};

// A graph, the shardings of its inputs, and those that its outputs must have.
struct Program {
  ir::Graph graph;
  std::vector<ir::Sharding> shardings;
  std::vector<std::optional<ir::Sharding>> outputs;

  ir::Value input(Type type, ir::Sharding sharding) {
    shardings.push_back(std::move(sharding));
    return graph.add_input(type);
  }
};

inline Type f32(std::initializer_list<Dim> dims) { return Type(DType::f32, dims); }

// Returns the product of two matrices.
inline ir::Value dot(ir::Value a, ir::Value b) {
  const std::int64_t zero = 0, one = 1;
  return ir::dot_general(
      a, b, {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = {&one, 1}, .rhs_contracting = {&zero, 1}});
}

}  // namespace weft::compiler
