// Decides how one node is divided: each dimension as the tensors with the most bytes say. See docs/design/meshes.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <weft/base/hash.h>
#include <weft/ir/factors.h>
#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::compiler {

struct NodeDivision {
  ir::FactorAxes axes;                 // along which the factors are split
  std::vector<ir::Sharding> operands;  // as the node needs them
  std::vector<ir::Sharding> results;   // as the node gives them
};

// What the division of a node follows, besides the node.
struct NodeSurroundings {
  struct Operand {
    ir::Sharding held;
    bool is_of_data = false;  // whether its claims take precedence
    bool passes = false;      // whether it is a partial sum that the node may pass on
  };
  std::vector<Operand> operands;
  std::span<const std::optional<ir::Sharding>> wanted;  // by result: how its users want it, if that is known
  bool knows_users = false;                             // whether it is known for any result
  bool collects_rows = false;  // whether the node puts a row into an array that may stay a partial sum
};

// Divides the nodes of programs. Nodes that are alike, such as those of repeated layers, are divided once.
class NodeDivider {
 public:
  explicit NodeDivider(ir::Mesh mesh) : mesh_(std::move(mesh)) {}

  std::shared_ptr<const ir::Factors> factors_of(const ir::Node& node);
  // `factors` are those of the node, from factors_of().
  std::shared_ptr<const NodeDivision> divide(const ir::Node& node, const std::shared_ptr<const ir::Factors>& factors,
                                             const NodeSurroundings& around);

 private:
  const ir::Mesh mesh_;
  std::unordered_map<Fingerprint, std::shared_ptr<const ir::Factors>, FingerprintHash> factors_;
  std::unordered_map<Fingerprint, std::shared_ptr<const NodeDivision>, FingerprintHash> divisions_;
};

// Returns whether the results of a node are linear in an operand.
ir::Linearity linearity(const ir::Node& node, int operand);

// Returns the bytes of tensors; tokens have none.
double bytes_of(std::span<const Type> types);

}  // namespace weft::compiler
