// Control: regions decide what happens. Regions are closed graphs: every value that they use is one of their inputs. Included
// through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void while_type(const Call& call, std::vector<Type>& results);
void if_type(const Call& call, std::vector<Type>& results);
void case_type(const Call& call, std::vector<Type>& results);
void composite_type(const Call& call, std::vector<Type>& results);

void while_gradient(const GradientCall& c);
void branches_gradient(const GradientCall& c);  // if, case
void composite_gradient(const GradientCall& c);

std::vector<Batched> batch_while(const BatchCall& c);
std::vector<Batched> batch_branches(const BatchCall& c);
std::vector<Batched> batch_composite(const BatchCall& c);

namespace interpreter {
InterpretRule case_of, composite, if_else, while_loop;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(control)

WEFT_OP(while_) {  // initial values...; regions: condition and body, which both take the loop's values
    .name = "while", .kind = Kind::control, .arity = variadic, .types = while_type, .gradient = while_gradient,
    .interpret = interpreter::while_loop, .regions = 2, .flow = Flow::loop, .batch = batch_while, .takes_tokens = true,
};
WEFT_OP(if_) {  // predicate, captures...; regions: if true and if false, which both take the captures
    .name = "if", .kind = Kind::control, .arity = variadic, .types = if_type, .gradient = branches_gradient,
    .interpret = interpreter::if_else, .regions = 2, .flow = Flow::branches,
    .batch = batch_branches, .takes_tokens = true, .hlo_opcode = "conditional",
};
WEFT_OP(case_) {  // index, captures...; an index out of range chooses the last branch
    .name = "case", .kind = Kind::control, .arity = variadic, .types = case_type, .gradient = branches_gradient,
    .interpret = interpreter::case_of, .regions = variadic, .flow = Flow::branches, .batch = batch_branches, .takes_tokens = true,
    .hlo_opcode = "conditional",
};
// A named function of primitives: the region defines what it computes, and a special kernel may replace it.
WEFT_OP(composite) {
    .name = "composite", .kind = Kind::control, .arity = variadic, .types = composite_type, .gradient = composite_gradient,
    .interpret = interpreter::composite, .attributes = schema<CompositeAttributes>, .regions = 1, .flow = Flow::call,
    .batch = batch_composite,
    .takes_tokens = true, .hlo_opcode = "call",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
