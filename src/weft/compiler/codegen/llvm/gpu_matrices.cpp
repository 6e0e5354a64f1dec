#include <weft/compiler/codegen/llvm/gpu_matrices.h>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

namespace weft::compiler {

namespace {

using Builder = llvm::IRBuilder<>;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

template <std::size_t n>
std::array<Value*, n> parts(Builder& b, Value* all) {
  std::array<Value*, n> values;
  for (unsigned i = 0; i < n; ++i) values[i] = b.CreateExtractValue(all, i);
  return values;
}

class NvptxMatrices final : public GpuMatrices {
 public:
  std::array<Value*, 4> load(Builder& b, Value* address, bool transposed) override {
    const auto id = transposed ? intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                               : intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
    return parts<4>(b, b.CreateIntrinsic(id, {address->getType()}, {address}));
  }

  std::array<Value*, 4> multiply_add(Builder& b, DType dtype, const std::array<Value*, 4>& left,
                                     const std::array<Value*, 2>& right, const std::array<Value*, 4>& sum) override {
    const bool is_bf16 = dtype == DType::bf16;
    std::vector<Value*> operands(left.begin(), left.end());
    operands.insert(operands.end(), right.begin(), right.end());
    if (!is_bf16)
      for (Value*& operand : operands) operand = b.CreateBitCast(operand, pair(b, dtype));
    operands.insert(operands.end(), sum.begin(), sum.end());
    const auto id = is_bf16 ? intrinsic::nvvm_mma_m16n8k16_row_col_bf16 : intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
    return parts<4>(b, b.CreateIntrinsic(id, {}, operands));
  }

  Value* rounded(Builder& b, DType dtype, Value* first, Value* second) override {
    const auto id = dtype == DType::bf16 ? intrinsic::nvvm_ff2bf16x2_rn : intrinsic::nvvm_ff2f16x2_rn;
    return b.CreateBitCast(b.CreateIntrinsic(id, {}, {second, first}), b.getInt32Ty());
  }

  Value* exp2(Builder& b, Value* x) override { return b.CreateIntrinsic(intrinsic::nvvm_ex2_approx_ftz_f, {}, {x}); }
  Value* log2(Builder& b, Value* x) override { return b.CreateIntrinsic(intrinsic::nvvm_lg2_approx_f, {}, {x}); }

  void copy(Builder& b, Value* to, Value* from, int size, Value* count) override {
    const auto id =
        size == 16 ? intrinsic::nvvm_cp_async_cg_shared_global_16_s : intrinsic::nvvm_cp_async_ca_shared_global_4_s;
    constexpr unsigned global_space = 1;
    b.CreateIntrinsic(id, {}, {to, b.CreateAddrSpaceCast(from, b.getPtrTy(global_space)), count});
  }
  void wait_for_copies(Builder& b) override { b.CreateIntrinsic(intrinsic::nvvm_cp_async_wait_all, {}, {}); }

 private:
  static llvm::Type* pair(Builder& b, DType dtype) {
    return llvm::FixedVectorType::get(dtype == DType::bf16 ? b.getBFloatTy() : b.getHalfTy(), 2);
  }
};

// Calls the functions of codegen/twin, which take the addresses of what a thread holds.
class TwinMatrices final : public GpuMatrices {
 public:
  std::array<Value*, 4> load(Builder& b, Value* address, bool transposed) override {
    Value* result = local(b, b.getInt32Ty(), 4);
    call(b, "weft_twin_load_matrices", b.getVoidTy(), {address, result, b.getInt32(transposed)});
    return loaded(b, b.getInt32Ty(), result);
  }

  std::array<Value*, 4> multiply_add(Builder& b, DType dtype, const std::array<Value*, 4>& left,
                                     const std::array<Value*, 2>& right, const std::array<Value*, 4>& sum) override {
    Value *operands = local(b, b.getInt32Ty(), 6), *result = local(b, b.getFloatTy(), 4);
    for (unsigned i = 0; i < 4; ++i) b.CreateStore(left[i], b.CreateConstGEP1_32(b.getInt32Ty(), operands, i));
    for (unsigned i = 0; i < 2; ++i) b.CreateStore(right[i], b.CreateConstGEP1_32(b.getInt32Ty(), operands, 4 + i));
    for (unsigned i = 0; i < 4; ++i) b.CreateStore(sum[i], b.CreateConstGEP1_32(b.getFloatTy(), result, i));
    call(b, "weft_twin_multiply_add", b.getVoidTy(), {b.getInt32(dtype == DType::bf16), operands, result});
    return loaded(b, b.getFloatTy(), result);
  }

  Value* rounded(Builder& b, DType dtype, Value* first, Value* second) override {
    return call(b, "weft_twin_rounded", b.getInt32Ty(), {b.getInt32(dtype == DType::bf16), first, second});
  }
  Value* exp2(Builder& b, Value* x) override { return b.CreateUnaryIntrinsic(intrinsic::exp2, x); }
  Value* log2(Builder& b, Value* x) override { return b.CreateUnaryIntrinsic(intrinsic::log2, x); }
  void copy(Builder& b, Value* to, Value* from, int size, Value* count) override {
    call(b, "weft_twin_copy", b.getVoidTy(), {to, from, b.getInt32(static_cast<std::uint32_t>(size)), count});
  }
  void wait_for_copies(Builder& b) override { call(b, "weft_twin_wait_for_copies", b.getVoidTy(), {}); }

 private:
  static Value* call(Builder& b, const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    auto callee =
        b.GetInsertBlock()->getModule()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    return b.CreateCall(callee, arguments);
  }
  static Value* local(Builder& b, llvm::Type* type, unsigned count) {
    llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    return Builder(&entry, entry.begin()).CreateAlloca(llvm::ArrayType::get(type, count));
  }
  static std::array<Value*, 4> loaded(Builder& b, llvm::Type* type, Value* address) {
    std::array<Value*, 4> values;
    for (unsigned i = 0; i < 4; ++i) values[i] = b.CreateLoad(type, b.CreateConstGEP1_32(type, address, i));
    return values;
  }
};

}  // namespace

std::unique_ptr<GpuMatrices> gpu_matrices(const Target& target) {
  if (target.is_twin) return std::make_unique<TwinMatrices>();
  return std::make_unique<NvptxMatrices>();
}

}  // namespace weft::compiler
