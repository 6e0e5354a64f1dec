// Opaque primitives: each has a kernel of its own, into which no rule looks. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void rng_bit_generator_type(const Call& call, std::vector<Type>& results);
void rng_factors(const Node& node, Factors& f);
std::vector<Value> rng_local(const LocalCall& call);
void optimization_barrier_type(const Call& call, std::vector<Type>& results);
void custom_call_type(const Call& call, std::vector<Type>& results);
void custom_call_factors(const Node& node, Factors& f);

void optimization_barrier_gradient(const GradientCall& c);
void custom_call_gradient(const GradientCall& c);

std::vector<Batched> batch_rng_bit_generator(const BatchCall& c);
std::vector<Batched> batch_optimization_barrier(const BatchCall& c);

namespace interpreter {
InterpretRule custom_call, optimization_barrier, rng_bit_generator;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(opaque)

WEFT_OP(rng_bit_generator) {  // state; results: the new state, uniform bits
    .name = "rng_bit_generator", .kind = Kind::opaque, .arity = 1, .types = rng_bit_generator_type, .gradient = zero_gradient,
    .interpret = interpreter::rng_bit_generator, .domain = dtypes({DType::u64}), .attributes = schema<RngAttributes>,
    .factors = rng_factors, .local = rng_local, .batch = batch_rng_bit_generator,
};
WEFT_OP(optimization_barrier) {
    .name = "optimization_barrier", .kind = Kind::opaque, .arity = variadic, .types = optimization_barrier_type,
    .gradient = optimization_barrier_gradient, .interpret = interpreter::optimization_barrier, .flow = Flow::barrier,
    .batch = batch_optimization_barrier, .duplicable = false,
    .takes_tokens = true, .hlo_opcode = "opt-barrier",
};

// A call of an external function that is known only by name. It is read and written as text, and can run only if a function is
// registered under that name: see host_function.h.
WEFT_OP(custom_call) {
    .name = "custom_call", .kind = Kind::opaque, .arity = variadic, .types = custom_call_type, .gradient = custom_call_gradient,
    .interpret = interpreter::custom_call, .attributes = schema<CustomCallAttributes>, .factors = custom_call_factors,
    .batch = batch_by_loop, .duplicable = false,
    .takes_tokens = true,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
