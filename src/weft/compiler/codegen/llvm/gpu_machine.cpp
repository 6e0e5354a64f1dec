#include <weft/compiler/codegen/llvm/gpu_machine.h>

#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace weft::compiler {

using llvm::Value;

namespace {

class Nvptx final : public GpuMachine {
 public:
  explicit Nvptx(const Target& target) : shared_alignment_(target.has_warpgroups ? 1024 : 16) {}

  Value* index(llvm::IRBuilder<>& b, Index index) override {
    using namespace llvm::Intrinsic;
    constexpr llvm::Intrinsic::ID registers[] = {nvvm_read_ptx_sreg_tid_x,    nvvm_read_ptx_sreg_tid_y,
                                                 nvvm_read_ptx_sreg_ntid_x,   nvvm_read_ptx_sreg_ntid_y,
                                                 nvvm_read_ptx_sreg_ctaid_x,  nvvm_read_ptx_sreg_ctaid_y,
                                                 nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y};
    return b.CreateIntrinsic(registers[static_cast<int>(index)], {}, {});
  }
  Value* exchange(llvm::IRBuilder<>& b, Value* value, int distance) override {
    constexpr int whole_warp = -1, last_lane = 31;
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(whole_warp), value, b.getInt32(distance), b.getInt32(last_lane)});
  }
  void barrier(llvm::IRBuilder<>& b) override { b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }
  Value* shared(llvm::IRBuilder<>& b) override {
    constexpr unsigned shared_space = 3;
    llvm::Module& module = *b.GetInsertBlock()->getModule();
    constexpr const char* name = "shared_memory";
    if (llvm::GlobalVariable* const known = module.getNamedGlobal(name)) return known;
    auto* type = llvm::ArrayType::get(b.getInt8Ty(), 0);  // the launch says how large it is
    auto* memory = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr, name,
                                            nullptr, llvm::GlobalValue::NotThreadLocal, shared_space);
    memory->setAlignment(llvm::Align(shared_alignment_));
    return memory;
  }
  void make_kernel(llvm::Function& function, int threads, int blocks) override {
    llvm::LLVMContext& context = function.getContext();
    llvm::Type* integer = llvm::Type::getInt32Ty(context);
    const auto note = [&](const char* what, int value) {
      llvm::Metadata* const parts[] = {llvm::ValueAsMetadata::get(&function), llvm::MDString::get(context, what),
                                       llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(integer, value))};
      function.getParent()->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(context, parts));
    };
    note("kernel", 1);
    note("maxntidx", threads);
    if (blocks) note("minctasm", blocks);
  }

 private:
  std::uint64_t shared_alignment_;  // the matrices of warpgroups begin at multiples of 1024
};

// Calls the functions of codegen/twin.
class Twin final : public GpuMachine {
 public:
  Value* index(llvm::IRBuilder<>& b, Index index) override {
    return call(b, "weft_twin_index", b.getInt32Ty(), {b.getInt32(static_cast<int>(index))}, Effect::none);
  }
  Value* exchange(llvm::IRBuilder<>& b, Value* value, int distance) override {
    return call(b, "weft_twin_exchange", b.getInt32Ty(), {value, b.getInt32(distance)}, Effect::meets);
  }
  void barrier(llvm::IRBuilder<>& b) override { call(b, "weft_twin_barrier", b.getVoidTy(), {}, Effect::meets); }
  Value* shared(llvm::IRBuilder<>& b) override { return call(b, "weft_twin_shared", b.getPtrTy(), {}, Effect::none); }
  void make_kernel(llvm::Function& function, int, int) override {
    llvm::LLVMContext& context = function.getContext();
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context)}, false);
    auto* caller = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                          twin_function(function.getName().str()), function.getParent());
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", caller));
    std::vector<Value*> arguments;
    for (const llvm::Argument& argument : function.args()) {
      Value* place = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), caller->getArg(0), argument.getArgNo());
      arguments.push_back(b.CreateLoad(argument.getType(), b.CreateLoad(b.getPtrTy(), place)));
    }
    b.CreateCall(&function, arguments);
    b.CreateRetVoid();
  }

 private:
  enum class Effect : std::uint8_t { none, meets };  // the threads meet there, and see what the others stored

  static Value* call(llvm::IRBuilder<>& b, const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments,
                     Effect effect) {
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    llvm::Module& module = *b.GetInsertBlock()->getModule();
    auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    if (effect == Effect::meets) {
      function->setConvergent();
    } else {
      function->setDoesNotAccessMemory();
      function->setWillReturn();
    }
    return b.CreateCall(callee, arguments);
  }
};

}  // namespace

std::string twin_function(const std::string& function) { return function + "_call"; }

std::unique_ptr<GpuMachine> gpu_machine(const Target& target) {
  if (target.is_twin) return std::make_unique<Twin>();
  return std::make_unique<Nvptx>(target);
}

}  // namespace weft::compiler
