// Fusion leaves it to a UnitMaker to make units of the nodes that are no part of a generated kernel. The rows above know which thunk or
// library computes such a node.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class UnitMaker {
 public:
  virtual ~UnitMaker() = default;
  // Whether the target's library computes the product with all of its epilogue.
  virtual bool has_product(const Matmul& matmul) const = 0;
  virtual Unit make_product(const Matmul& matmul) const = 0;
  // Adds a line to `fallbacks` if the node, or one in its regions, is left to the interpreter.
  virtual Unit make(const ir::Node& node, std::vector<std::string>& fallbacks) const = 0;
  // Reads the value's bytes and writes them once more.
  virtual Unit make_copy(ir::Value value) const = 0;
};

}  // namespace weft::compiler
