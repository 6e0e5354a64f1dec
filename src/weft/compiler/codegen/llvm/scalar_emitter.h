// Emits the scalar meaning of ops as LLVM instructions, on one element or on a vector of elements.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/options/target.h>
#include <weft/ir/scalar.h>

namespace weft::compiler {

// Values are held in a compute type: booleans as i1, f16 and bf16 as float (rounded after every operation, but see rounds_at_stores), others
// in their own type.
// `lanes` == 1 means plain scalars.
class ScalarEmitter final : public ir::ScalarBuilder {
 public:
  ScalarEmitter(llvm::IRBuilder<>& builder, const Target& target, int lanes, bool contract)
      : b_(builder), target_(target), lanes_(lanes), contract_(contract) {}

  ir::Scalar constant(DType dtype, double value) override;
  ir::Scalar apply(ir::Prim prim, std::initializer_list<ir::Scalar> operands) override;
  ir::Scalar compare(ir::Direction direction, ir::Scalar a, ir::Scalar b) override;
  ir::Scalar select(ir::Scalar predicate, ir::Scalar on_true, ir::Scalar on_false) override;
  ir::Scalar convert(ir::Scalar value, DType dtype) override;
  ir::Scalar bitcast(ir::Scalar value, DType dtype) override;

  ir::Scalar constant_bits(DType dtype, std::uint64_t bits);
  llvm::Type* compute_type(DType dtype) const;  // a vector of all lanes
  llvm::Type* memory_type(DType dtype) const;   // booleans as i8, bf16 as i16
  llvm::Value* from_memory(llvm::Value* stored, DType dtype);
  llvm::Value* to_memory(llvm::Value* computed, DType dtype);
  llvm::Type* widen(llvm::Type* element) const;

  // Multiplication and addition are contracted, if that is allowed, wherever one operand of an addition is a product. Where both are, neither
  // is contracted: the sum would depend on their order, and x * y - y * x would not be 0. This function excludes a product. LLVM does not decide: it would do so by the code around, and then the bits of a sum would depend on masks and on the number of
  // lanes.
  static void keep_rounding(llvm::Value* x);
  // Returns the sum of x and a product, contracted also if the product is excluded.
  llvm::Value* add_product(llvm::Value* x, llvm::Value* product);

  // Says whether what is applied from now on computes with numbers that were rounded to 16 bits, which need no accurate exp.
  void set_of_16_bits(bool is_of_16_bits) { is_of_16_bits_ = is_of_16_bits; }

 private:
  llvm::Value* to_integer(llvm::Value* value, DType dtype);
  llvm::Value* widened_pairs(llvm::Value* stored);
  // Returns the nearest value that the dtype can represent.
  llvm::Value* round(llvm::Value* value, DType dtype, bool nan_is_rounded = false);
  // Whether results of 16-bit floats are rounded only where they are stored or converted. On a GPU, rounding them after each operation would
  // take longer than the operations.
  bool rounds_at_stores() const { return target_.is_gpu && contract_; }
  llvm::Value* rounded(ir::Scalar x);        // for operations that a small difference may decide
  llvm::Value* widened(llvm::Value* value);  // from float to double
  // Narrows double to float, rounded to odd so that a second rounding is correct.
  llvm::Value* narrow_to_odd(llvm::Value* value);
  llvm::Value* product(llvm::Value* x, llvm::Value* y);
  llvm::Value* sum(llvm::Value* x, llvm::Value* y);
  llvm::Value* difference(llvm::Value* x, llvm::Value* y);
  llvm::Value* multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z);  // x y + z
  llvm::Value* float_prim(ir::Prim prim, std::span<llvm::Value* const> x, DType dtype);
  llvm::Value* extremum(llvm::Value* x, llvm::Value* y, bool maximum);  // NaN if either is NaN; -0 is below +0
  llvm::Value* integer_prim(ir::Prim prim, std::span<llvm::Value* const> x, DType dtype);

  llvm::IRBuilder<>& b_;
  const Target& target_;
  int lanes_;
  bool contract_;
  bool is_of_16_bits_ = false;
};

// Emits elementary functions on float or double, scalar or vector, of which the caller rounds the result to the dtype (math.cpp). In strict
// mode they give the same bits on every machine.
llvm::Value* emit_math(llvm::IRBuilder<>& builder, ir::Prim prim, std::span<llvm::Value* const> x, DType dtype,
                       bool strict, const Target& target, bool is_of_16_bits = false);

inline llvm::Value* llvm_value(ir::Scalar s) { return reinterpret_cast<llvm::Value*>(s.id); }
inline ir::Scalar to_scalar(llvm::Value* value, DType dtype) {
  return {reinterpret_cast<std::uintptr_t>(value), dtype};
}

}  // namespace weft::compiler
