// Sources: values that have no operands. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void parameter_type(const Call& call, std::vector<Type>& results);
void constant_type(const Call& call, std::vector<Type>& results);
void iota_type(const Call& call, std::vector<Type>& results);

void constant_factors(const Node& node, Factors& f);
void iota_factors(const Node& node, Factors& f);

std::vector<Value> constant_local(const LocalCall& call);
std::vector<Value> iota_local(const LocalCall& call);

namespace interpreter {
InterpretRule constant, iota, parameter;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(source)

// An input of the graph. It is weft's own op; StableHLO has block arguments instead.
WEFT_OP(parameter) {
    .name = "parameter", .kind = Kind::source, .arity = 0, .types = parameter_type, .gradient = zero_gradient,
    .interpret = interpreter::parameter, .attributes = schema<ParameterAttributes>, .duplicable = false, .takes_tokens = true,
};
WEFT_OP(constant) {
    .name = "constant", .kind = Kind::source, .arity = 0, .types = constant_type, .gradient = zero_gradient,
    .interpret = interpreter::constant, .attributes = schema<ConstantAttributes>,
    .factors = constant_factors, .local = constant_local,
};
WEFT_OP(iota) {
    .name = "iota", .kind = Kind::source, .arity = 0, .types = iota_type, .gradient = zero_gradient, .interpret = interpreter::iota,
    .domain = integers | floats, .attributes = schema<IotaAttributes>, .factors = iota_factors, .local = iota_local,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops

inline bool is_parameter(const Node& node) { return node.op == &ops::parameter; }

// Returns the elements of a constant; nullptr for other values.
inline const Literal* literal_of(Value v) {
  const auto* constant = v.node->attributes_if<ConstantAttributes>();
  return constant ? &constant->value : nullptr;
}
// Returns the elements of a constant that is a splat; nullptr for other values.
inline const Literal* splat_of(Value v) {
  const Literal* literal = literal_of(v);
  return literal && literal->is_splat() ? literal : nullptr;
}

}  // namespace weft::ir
