#include <weft/compiler/loop/cost.h>

#include <vector>

namespace weft::compiler {

namespace {

class Counter final : public ir::ScalarBuilder {
 public:
  int cost = 0;

  ir::Scalar constant(DType dtype, double) override { return {0, dtype}; }
  ir::Scalar apply(ir::Prim prim, std::initializer_list<ir::Scalar> operands) override {
    using enum ir::Prim;
    switch (prim) {
      case divide:
      case remainder:
      case sqrt:
      case rsqrt: cost += 4; break;
      case exp:
      case expm1:
      case log:
      case log1p:
      case sin:
      case cos:
      case tan:
      case tanh:
      case logistic:
      case erf:
      case cbrt: cost += 12; break;
      case pow:
      case atan2: cost += 30; break;
      default: cost += 1;
    }
    return *operands.begin();
  }
  ir::Scalar compare(ir::Direction, ir::Scalar, ir::Scalar) override { return ++cost, ir::Scalar{0, DType::boolean}; }
  ir::Scalar select(ir::Scalar, ir::Scalar a, ir::Scalar) override { return ++cost, a; }
  ir::Scalar convert(ir::Scalar, DType dtype) override { return ++cost, ir::Scalar{0, dtype}; }
  ir::Scalar bitcast(ir::Scalar, DType dtype) override { return {0, dtype}; }
};

}  // namespace

int cost_of(const ir::Op& op, const void* attributes, DType operand, DType result) {
  Counter counter;
  const std::vector<ir::Scalar> operands(op.arity, ir::Scalar{0, operand});
  op.scalar(counter, {operands, result, attributes});
  return counter.cost;
}

}  // namespace weft::compiler
