// A matrix product of the graph, with the neighbouring nodes that it absorbs.
#pragma once

#include <weft/compiler/loop/access.h>
#include <weft/compiler/loop/matmul_shape.h>
#include <weft/compiler/plan/epilogue.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// A dot_general, how its operands are read, and what is done to the product before it is stored.
struct Matmul {
  const ir::Node* dot = nullptr;
  View lhs, rhs;
  MatmulShape shape;
  Epilogue epilogue;
};

// Calls visit(value) for everything that a product reads.
void for_each_operand(const Matmul& matmul, auto&& visit) {
  visit(matmul.lhs.base);
  visit(matmul.rhs.base);
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base) visit(step.operand.base);
}

}  // namespace weft::compiler
