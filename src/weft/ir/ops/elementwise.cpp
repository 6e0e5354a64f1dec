// Type rules of elementwise ops.
#include <weft/ir/ops/elementwise.h>

#include <algorithm>

#include <weft/ir/num_bits.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

bool same_dims(Type a, Type b) { return std::ranges::equal(a.dims(), b.dims()); }

}  // namespace

void same_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.type(0);
  require_domain(call, 0);
  for (const Value v : call.operands)
    call.require(v.type() == type, "operands must have one type, got ", type, " and ", v.type());
  results.push_back(type);
}

void compare_type(const Call& call, std::vector<Type>& results) {
  same_type(call, results);
  const DType dtype = results.back().dtype();
  const Comparison type = call.attributes<CompareAttributes>().type;
  const bool fits = type == Comparison::NOTYPE ||
                    (is_float(dtype) && (type == Comparison::FLOAT || type == Comparison::TOTALORDER)) ||
                    (is_signed_integer(dtype) && type == Comparison::SIGNED) ||
                    ((is_unsigned_integer(dtype) || dtype == DType::boolean) && type == Comparison::UNSIGNED);
  call.require(fits, "compare_type ", EnumNames<Comparison>::names[static_cast<std::size_t>(type)], " does not fit ",
               dtype);
  results.back() = results.back().with(DType::boolean);
}

void is_finite_type(const Call& call, std::vector<Type>& results) {
  same_type(call, results);
  results.back() = results.back().with(DType::boolean);
}

void convert_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.requested_type();
  call.require(same_dims(type, call.type(0)), "cannot produce ", type, ": the shapes differ");
  results.push_back(type);
}

void bitcast_convert_type(const Call& call, std::vector<Type>& results) {
  convert_type(call, results);
  require_domain(call, 0);
  const DType from = call.type(0).dtype(), to = results.back().dtype();
  call.require(contains(call.op.domain, to), "is not defined for ", to);
  call.require(num_bits(from) == num_bits(to), "cannot produce ", to, ": the widths differ");
  call.require(have_same_bytes(from, to), "from ", from, " to ", to, " changes the bytes; use convert");
}

void reduce_precision_type(const Call& call, std::vector<Type>& results) {
  same_type(call, results);
  call.require(!is_narrow(call.type(0).dtype()), "is not defined for ", call.type(0).dtype());
  const auto& format = call.attributes<ReducePrecisionAttributes>();
  call.require(format.exponent_bits >= 1, "exponent_bits must be at least 1, got ", format.exponent_bits);
  call.require(format.mantissa_bits >= 0, "mantissa_bits must not be negative, got ", format.mantissa_bits);
}

void select_type(const Call& call, std::vector<Type>& results) {
  const Type predicate = call.type(0), type = call.type(1);
  call.require(predicate.dtype() == DType::boolean, "the predicate must be i1, got ", predicate);
  call.require(type == call.type(2), "cannot choose between ", type, " and ", call.type(2));
  call.require(predicate.rank() == 0 || same_dims(predicate, type), "the predicate ", predicate,
               " must be of rank 0 or of the shape of ", type);
  results.push_back(type);
}

void clamp_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.type(1);
  require_domain(call, 1);
  for (const int i : {0, 2}) {
    const Type bound = call.type(i);
    call.require(bound == type || (bound.rank() == 0 && bound.dtype() == type.dtype()), "the bound ", bound,
                 " must be ", type, " or of rank 0 and the same dtype");
  }
  results.push_back(type);
}

// Rounding is not linear, so the result must hold every float of the operand.
Linearity convert_linearity(const Node& node, int) {
  const DType from = node.operand(0).dtype(), to = node.type().dtype();
  const bool is_exact =
      from == to || to == DType::f64 || (to == DType::f32 && (from == DType::f16 || from == DType::bf16));
  return is_float(from) && is_float(to) && is_exact ? Linearity::together : Linearity::none;
}

Linearity divide_linearity(const Node& node, int operand) {
  return operand == 0 && is_float(node.type().dtype()) ? Linearity::alone : Linearity::none;
}

// The sum of booleans is `or`, which does not undo itself as sums do.
Linearity add_linearity(const Node& node, int) {
  return node.type().dtype() == DType::boolean ? Linearity::none : Linearity::together;
}

Linearity multiply_linearity(const Node& node, int) {
  return node.type().dtype() == DType::boolean ? Linearity::none : Linearity::alone;
}

Linearity select_linearity(const Node&, int operand) { return operand == 0 ? Linearity::none : Linearity::together; }

}  // namespace weft::ir
