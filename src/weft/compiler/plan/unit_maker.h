// Makes units of the nodes that are not part of a generated kernel. Fusion calls it through this interface, since the layers above know
// which thunk or library computes such a node.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/plan/attention.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class UnitMaker {
 public:
  virtual ~UnitMaker() = default;
  // Returns whether the target's library computes the product with its whole epilogue.
  virtual bool has_product(const Matmul& matmul) const = 0;
  virtual Unit make_product(const Matmul& matmul) const = 0;
  virtual Unit make_attention(const Attention& attention) const = 0;
  // Adds a line to `fallbacks` if the interpreter runs the node or a node in its regions.
  virtual Unit make(const ir::Node& node, std::vector<std::string>& fallbacks) const = 0;
  // Returns a unit that copies the value's bytes.
  virtual Unit make_copy(ir::Value value) const = 0;
};

}  // namespace weft::compiler
