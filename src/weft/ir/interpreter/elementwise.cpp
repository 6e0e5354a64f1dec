#include <weft/ir/interpreter/columns.h>
#include <weft/ir/interpreter/rules.h>

namespace weft::ir::interpreter {

std::vector<Array> elementwise_rule(const NodeCall& call) {
  Array result(call.type());
  Columns columns(result.size());
  std::vector<Scalar> operands;
  for (const Array* x : call.operands) {
    const bool for_all = x->type().rank() == 0;  // a predicate of select, a bound of clamp, or everything is of rank 0
    operands.push_back(for_all ? columns.same_for_all(x->dtype(), x->bytes().data())
                               : columns.rows(x->dtype(), x->bytes().data()));
  }
  const Scalar value = call.node.op->scalar(columns, {operands, result.dtype(), call.node.attribute_data});
  columns.read(value, result.bytes().data());
  return one(std::move(result));
}

}  // namespace weft::ir::interpreter
