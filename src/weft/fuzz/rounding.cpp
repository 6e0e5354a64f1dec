#include <weft/fuzz/rounding.h>

#include <weft/ir/op.h>

namespace weft::fuzz {

namespace {

using ir::Prim;
using ir::Scalar;

// A ScalarBuilder that sums up rounding errors instead of computing.
class RoundingCounter final : public ir::ScalarBuilder {
 public:
  explicit RoundingCounter(bool strict) : strict_(strict) {}
  double ulps() const { return ulps_; }

  Scalar constant(DType dtype, double) override { return {0, dtype}; }
  Scalar apply(Prim prim, std::initializer_list<Scalar> operands) override {
    const DType dtype = operands.begin()->dtype;
    if (is_float(dtype)) ulps_ += ulps_of(prim, dtype);
    return {0, dtype};
  }
  Scalar compare(ir::Direction, Scalar, Scalar) override { return {0, DType::boolean}; }
  Scalar select(Scalar, Scalar on_true, Scalar) override { return on_true; }
  Scalar convert(Scalar, DType dtype) override { return {0, dtype}; }
  Scalar bitcast(Scalar, DType dtype) override { return {0, dtype}; }

 private:
  double ulps_of(Prim prim, DType dtype) const {
    switch (prim) {
      case Prim::remainder:
      case Prim::negate:
      case Prim::absolute:
      case Prim::minimum:
      case Prim::maximum:
      case Prim::floor:
      case Prim::ceil:
      case Prim::round_half_even:
      case Prim::round_half_away: return 0;
      default: break;
    }
    if (is_exactly_rounded(prim)) return strict_ ? 0 : 1;
    return byte_size(dtype) == 2 ? 1 : 4;  // the accuracy that the engine promises for its functions
  }

  bool strict_;
  double ulps_ = 0;
};

}  // namespace

double rounding_ulps(const ir::Node& node, bool strict) {
  RoundingCounter counter(strict);
  std::vector<Scalar> operands;
  for (const ir::Value v : node.operands) operands.push_back({0, v.dtype()});
  node.op->scalar(counter, {operands, node.type().dtype(), node.attribute_data});
  return counter.ulps();
}

}  // namespace weft::fuzz
