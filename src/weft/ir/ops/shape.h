// Shape primitives: they move elements and compute nothing. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

void broadcast_in_dim_type(const Call& call, std::vector<Type>& results);
void reshape_type(const Call& call, std::vector<Type>& results);
void transpose_type(const Call& call, std::vector<Type>& results);
void slice_type(const Call& call, std::vector<Type>& results);
void pad_type(const Call& call, std::vector<Type>& results);
void concatenate_type(const Call& call, std::vector<Type>& results);
void reverse_type(const Call& call, std::vector<Type>& results);

void broadcast_in_dim_gradient(const GradientCall& c);
void reshape_gradient(const GradientCall& c);
void transpose_gradient(const GradientCall& c);
void slice_gradient(const GradientCall& c);
void pad_gradient(const GradientCall& c);
void concatenate_gradient(const GradientCall& c);
void reverse_gradient(const GradientCall& c);

void broadcast_in_dim_factors(const Node& node, Factors& f);
void reshape_factors(const Node& node, Factors& f);
void transpose_factors(const Node& node, Factors& f);
void slice_factors(const Node& node, Factors& f);
void pad_factors(const Node& node, Factors& f);
void concatenate_factors(const Node& node, Factors& f);
void reverse_factors(const Node& node, Factors& f);

std::vector<Value> slice_local(const LocalCall& call);
std::vector<Value> pad_local(const LocalCall& call);

std::vector<Batched> batch_broadcast_in_dim(const BatchCall& c);
std::vector<Batched> batch_transpose(const BatchCall& c);
std::vector<Batched> batch_slice(const BatchCall& c);
std::vector<Batched> batch_pad(const BatchCall& c);
std::vector<Batched> batch_concatenate(const BatchCall& c);
std::vector<Batched> batch_reverse(const BatchCall& c);

namespace interpreter {
InterpretRule broadcast_in_dim, concatenate, pad, reshape, reverse, slice, transpose;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(shape)

WEFT_OP(broadcast_in_dim) {
    .name = "broadcast_in_dim", .kind = Kind::shape, .arity = 1, .types = broadcast_in_dim_type,
    .gradient = broadcast_in_dim_gradient, .interpret = interpreter::broadcast_in_dim,
    .attributes = schema<BroadcastAttributes>, .factors = broadcast_in_dim_factors, .linear = linear_together,
    .batch = batch_broadcast_in_dim,
    .hlo_opcode = "broadcast",
};
WEFT_OP(reshape) {
    .name = "reshape", .kind = Kind::shape, .arity = 1, .types = reshape_type, .gradient = reshape_gradient,
    .interpret = interpreter::reshape, .factors = reshape_factors, .linear = linear_together, .batch = batch_leading,
};
WEFT_OP(transpose) {
    .name = "transpose", .kind = Kind::shape, .arity = 1, .types = transpose_type, .gradient = transpose_gradient,
    .interpret = interpreter::transpose, .attributes = schema<TransposeAttributes>, .factors = transpose_factors,
    .linear = linear_together, .batch = batch_transpose,
};
WEFT_OP(slice) {
    .name = "slice", .kind = Kind::shape, .arity = 1, .types = slice_type, .gradient = slice_gradient,
    .interpret = interpreter::slice, .attributes = schema<SliceAttributes>, .factors = slice_factors,
    .linear = linear_together, .local = slice_local, .batch = batch_slice,
};
WEFT_OP(pad) {  // x, padding value; negative edge padding crops
    .name = "pad", .kind = Kind::shape, .arity = 2, .types = pad_type, .gradient = pad_gradient, .interpret = interpreter::pad,
    .attributes = schema<PadAttributes>, .factors = pad_factors, .linear = linear_together,
    .local = pad_local, .batch = batch_pad,
};
WEFT_OP(concatenate) {
    .name = "concatenate", .kind = Kind::shape, .arity = variadic, .types = concatenate_type, .gradient = concatenate_gradient,
    .interpret = interpreter::concatenate, .attributes = schema<ConcatenateAttributes>,
    .factors = concatenate_factors, .linear = linear_together, .batch = batch_concatenate,
};
WEFT_OP(reverse) {
    .name = "reverse", .kind = Kind::shape, .arity = 1, .types = reverse_type, .gradient = reverse_gradient,
    .interpret = interpreter::reverse, .attributes = schema<DimensionsAttributes>, .factors = reverse_factors,
    .linear = linear_together, .batch = batch_reverse, .involution = true,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
