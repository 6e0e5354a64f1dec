#include <weft/compiler/codegen/llvm/gpu_matrices.h>

#include <string>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <weft/base/error.h>

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

// The descriptor of a matrix in shared memory (PTX, "Matrix Descriptor Format"), for an address of 0: all numbers count 16 bytes.
std::uint64_t descriptor_of(const SharedMatrix& matrix) {
  const auto units = [](int bytes) { return static_cast<std::uint64_t>(bytes / 16); };
  const std::uint64_t layout = matrix.swizzle == 128 ? 1 : matrix.swizzle == 64 ? 2 : 3;
  return units(matrix.transposed ? matrix.to_next_panel : 16) << 16 | units(matrix.to_next_lines) << 32 | layout << 62;
}

Value* descriptor(Builder& b, const SharedMatrix& matrix, Value* address) {
  Value* start = b.CreateZExt(b.CreateLShr(address, b.getInt32(4)), b.getInt64Ty());
  return b.CreateOr(start, b.getInt64(descriptor_of(matrix)));
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

  void publish(Builder& b) override { assembly(b, "fence.proxy.async.shared::cta;", 0, {}, {}); }

  // The sums stay where they are: one piece of assembly has all instructions, so that nothing comes between them.
  std::vector<Value*> begin_product(Builder& b, DType dtype, const std::vector<Value*>& sum, int columns,
                                    const std::vector<std::array<Value*, 4>>& left,
                                    const SharedMatrix& right) override {
    const int results = columns / 2, lefts_at = results + static_cast<int>(sum.size());
    const int descriptor_at = lefts_at + 4 * static_cast<int>(left.size());
    const auto list = [](int first, int count) {
      std::string text = "{";
      for (int i = 0; i < count; ++i) text += concat(i ? ", $" : "$", first + i);
      return text + "}";
    };
    const std::string_view type = dtype == DType::bf16 ? "bf16" : "f16";
    std::string text = "{\n.reg .b64 right;\n.reg .pred adds;\nwgmma.fence.sync.aligned;\n";
    for (int k = 0; k < static_cast<int>(left.size()); ++k)
      text += concat("setp.ne.b32 adds, ", k > 0 || !sum.empty() ? 1 : 0, ", 0;\nadd.s64 right, $", descriptor_at, ", ",
                     right.steps[static_cast<std::size_t>(k)] / 16, ";\nwgmma.mma_async.sync.aligned.m64n", columns,
                     "k16.f32.", type, ".", type, " ", list(0, results), ", ", list(lefts_at + 4 * k, 4),
                     ", right, adds, 1, 1, ", right.transposed ? 1 : 0, ";\n");
    text += "wgmma.commit_group.sync.aligned;\n}";
    Value* memory = b.GetInsertBlock()->getModule()->getNamedGlobal("shared_memory");
    Value* address = b.CreatePtrToInt(b.CreateGEP(b.getInt8Ty(), memory, right.place), b.getInt32Ty());
    std::vector<Value*> operands;
    for (const auto& each : left) operands.insert(operands.end(), each.begin(), each.end());
    operands.push_back(descriptor(b, right, address));
    return assembly(b, text, results, sum, operands);
  }

  std::vector<Value*> wait_for_products(Builder& b, int pending, const std::vector<Value*>& sums,
                                        const std::vector<std::array<Value*, 4>>& operands,
                                        const std::vector<Value*>& ready) override {
    std::vector<Value*> all = ready;
    for (const auto& each : operands) all.insert(all.end(), each.begin(), each.end());
    return assembly(b, concat("wgmma.wait_group.sync.aligned ", pending, ";"), static_cast<int>(sums.size()), sums,
                    all);
  }

 private:
  // Emits assembly with so many f32 results, of which the first ones are at once operands.
  static std::vector<Value*> assembly(Builder& b, const std::string& text, int results,
                                      const std::vector<Value*>& changed, const std::vector<Value*>& operands) {
    std::string constraints;
    std::vector<llvm::Type*> types;
    std::vector<Value*> all;
    const auto add = [&](Value* operand, std::string_view constraint) {
      constraints += concat(constraint, ",");
      all.push_back(operand);
      types.push_back(operand->getType());
    };
    for (int i = 0; i < results; ++i) constraints += "=f,";
    for (std::size_t i = 0; i < changed.size(); ++i) add(changed[i], std::to_string(i));
    for (Value* operand : operands) {
      llvm::Type* type = operand->getType();
      add(operand, type->isFloatTy() ? "f" : type->isIntegerTy(64) ? "l" : "r");
    }
    constraints += "~{memory}";
    llvm::Type* result = b.getVoidTy();
    if (results > 0)
      result = llvm::StructType::get(b.getContext(),
                                     std::vector<llvm::Type*>(static_cast<std::size_t>(results), b.getFloatTy()));
    auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text, constraints, true);
    llvm::CallInst* call = b.CreateCall(code, all);
    call->setConvergent();
    std::vector<Value*> values;
    for (int i = 0; i < results; ++i) values.push_back(b.CreateExtractValue(call, static_cast<unsigned>(i)));
    return values;
  }

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

  void publish(Builder&) override {}

  std::vector<Value*> begin_product(Builder& b, DType dtype, const std::vector<Value*>& sum, int columns,
                                    const std::vector<std::array<Value*, 4>>& left,
                                    const SharedMatrix& right) override {
    const auto parts = static_cast<unsigned>(left.size());
    Value* first = descriptor(b, right, right.place);
    std::vector<Value*> operands, rights, sums = sum;
    for (std::size_t k = 0; k < left.size(); ++k) {
      operands.insert(operands.end(), left[k].begin(), left[k].end());
      rights.push_back(b.CreateAdd(first, b.getInt64(static_cast<std::uint64_t>(right.steps[k] / 16))));
    }
    sums.resize(static_cast<std::size_t>(columns / 2), llvm::ConstantFP::get(b.getFloatTy(), 0));
    Value* sums_at = stored(b, b.getFloatTy(), sums);
    call(b, "weft_twin_begin_product", b.getVoidTy(),
         {b.getInt32(dtype == DType::bf16), b.getInt32(right.transposed),
          b.getInt32(static_cast<std::uint32_t>(columns)), b.getInt32(parts), stored(b, b.getInt32Ty(), operands),
          stored(b, b.getInt64Ty(), rights), sums_at});
    return loaded(b, b.getFloatTy(), sums_at, columns / 2);
  }

  std::vector<Value*> wait_for_products(Builder& b, int pending, const std::vector<Value*>& sums,
                                        const std::vector<std::array<Value*, 4>>&,
                                        const std::vector<Value*>&) override {
    Value* at = stored(b, b.getFloatTy(), sums);
    const int count = static_cast<int>(sums.size());
    call(b, "weft_twin_wait_for_products", b.getVoidTy(),
         {b.getInt32(static_cast<std::uint32_t>(pending)), b.getInt32(static_cast<std::uint32_t>(count)), at});
    return loaded(b, b.getFloatTy(), at, count);
  }

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
  static Value* stored(Builder& b, llvm::Type* type, const std::vector<Value*>& values) {
    Value* at = local(b, type, static_cast<unsigned>(values.size()));
    for (unsigned i = 0; i < values.size(); ++i) b.CreateStore(values[i], b.CreateConstGEP1_32(type, at, i));
    return at;
  }
  static std::vector<Value*> loaded(Builder& b, llvm::Type* type, Value* address, int count) {
    std::vector<Value*> values;
    for (int i = 0; i < count; ++i)
      values.push_back(b.CreateLoad(type, b.CreateConstGEP1_32(type, address, static_cast<unsigned>(i))));
    return values;
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
