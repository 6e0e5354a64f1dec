// Contractions: sums of products. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void dot_general_type(const Call& call, std::vector<Type>& results);
void convolution_type(const Call& call, std::vector<Type>& results);

void dot_general_gradient(const GradientCall& c);
void convolution_gradient(const GradientCall& c);

void dot_general_factors(const Node& node, Factors& f);
void convolution_factors(const Node& node, Factors& f);
std::vector<Value> convolution_local(const LocalCall& call);

std::vector<Batched> batch_dot_general(const BatchCall& c);
std::vector<Batched> batch_convolution(const BatchCall& c);

// Linear in each operand, unless integers are widened: parts would wrap around in the narrower dtype.
Linearity contraction_linearity(const Node& node, int operand);

namespace interpreter {
InterpretRule convolution, dot_general;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(contraction)

// The result has the operands' dtype or a requested dtype that is at least as wide; the products are accumulated in the result's
// dtype. Cotangents are converted to the operands' dtype, in which the contractions of the gradient are computed.
WEFT_OP(dot_general) {
    .name = "dot_general", .kind = Kind::contraction, .arity = 2, .types = dot_general_type, .gradient = dot_general_gradient,
    .interpret = interpreter::dot_general, .domain = integers | floats, .attributes = schema<DotAttributes>,
    .factors = dot_general_factors, .linear = contraction_linearity, .batch = batch_dot_general, .hlo_opcode = "dot",
};
WEFT_OP(convolution) {
    .name = "convolution", .kind = Kind::contraction, .arity = 2, .types = convolution_type, .gradient = convolution_gradient,
    .interpret = interpreter::convolution, .domain = integers | floats, .attributes = schema<ConvolutionAttributes>,
    .factors = convolution_factors, .linear = contraction_linearity, .local = convolution_local, .batch = batch_convolution,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
