// Ops that inspect a running program, from the dialects of StableHLO's reference interpreter. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void probe_type(const Call& call, std::vector<Type>& results);
void print_type(const Call& call, std::vector<Type>& results);
void expect_serialized_eq_type(const Call& call, std::vector<Type>& results);

namespace interpreter {
InterpretRule expect_serialized_eq, print, probe;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(probe)

// Returns the operand, which the run records under the name.
WEFT_OP(probe) {
    .name = "probe", .kind = Kind::opaque, .arity = 1, .types = probe_type, .gradient = not_differentiable,
    .interpret = interpreter::probe, .attributes = schema<ProbeAttributes>, .has_side_effect = true, .interpreted = true,
    .dialect = "interpreter",
};
WEFT_OP(print) {  // prints to the standard error stream
    .name = "print", .kind = Kind::opaque, .arity = 1, .types = print_type, .gradient = not_differentiable,
    .interpret = interpreter::print, .has_side_effect = true, .interpreted = true, .dialect = "interpreter",
};
// Fails the run unless the operand equals the value with index `iter` that was probed under this name.
WEFT_OP(expect_serialized_eq) {
    .name = "expect_serialized_eq", .kind = Kind::opaque, .arity = 1, .types = expect_serialized_eq_type,
    .gradient = not_differentiable, .interpret = interpreter::expect_serialized_eq, .attributes = schema<ProbeCheckAttributes>,
    .has_side_effect = true, .interpreted = true, .dialect = "check",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
