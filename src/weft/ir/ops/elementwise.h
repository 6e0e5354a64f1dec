// Elementwise primitives: result[i] depends on operands[i] alone.
#pragma once

#include <weft/ir/ops.h>

namespace weft::ir {

// Type rules
void same_type(const Call& call, std::vector<Type>& results);        // all operands and the result of one type, in the op's domain
void compare_type(const Call& call, std::vector<Type>& results);

namespace ops {

template <Prim prim>
constexpr Scalar apply(ScalarBuilder& b, const ScalarCall& x) {
  if constexpr (prim <= Prim::remainder) return b.apply(prim, {x[0], x[1]});
  else return b.apply(prim, {x[0]});
}

WEFT_OP(add) {
    .name = "add", .kind = Kind::elementwise, .arity = 2, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy()); c.add(1, c.dy()); },
    .scalar = apply<Prim::add>, .commutative = true,
};
WEFT_OP(tanh) {
    .name = "tanh", .kind = Kind::elementwise, .arity = 1, .types = same_type,
    .gradient = [](const GradientCall& c) { c.add(0, c.dy() * (constant_like(c.y(), 1) - c.y() * c.y())); },
    .scalar = apply<Prim::tanh>, .domain = floats,
};

}  // namespace ops
}  // namespace weft::ir
