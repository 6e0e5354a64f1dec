#include <weft/compiler/codegen/llvm/jit.h>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <weft/base/error.h>
#include <weft/base/threads.h>
#include <weft/compiler/codegen/cuda/assemble.h>
#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/body_emitter.h>
#include <weft/compiler/codegen/llvm/cpu_attention.h>
#include <weft/compiler/codegen/llvm/fft_emitter.h>
#include <weft/compiler/codegen/llvm/gpu_attention.h>
#include <weft/compiler/codegen/llvm/gpu_loop_emitter.h>
#include <weft/compiler/codegen/llvm/gpu_machine.h>
#include <weft/compiler/codegen/llvm/loop_emitter.h>
#include <weft/compiler/codegen/llvm/placed_body_emitter.h>
#include <weft/compiler/codegen/llvm/random_emitter.h>
#include <weft/compiler/codegen/llvm/random_fill_emitter.h>
#include <weft/compiler/codegen/llvm/row_emitter.h>
#include <weft/compiler/codegen/llvm/sort_emitter.h>
#include <weft/compiler/codegen/llvm/vector_math.h>
#include <weft/compiler/codegen/llvm/while_emitter.h>
#include <weft/compiler/codegen/twin/twin_kernel.h>

namespace weft::compiler {

namespace {

template <class T>
T checked(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  throw InternalError("LLVM: " + llvm::toString(value.takeError()));
}

void checked(llvm::Error error) {
  if (error) throw InternalError("LLVM: " + llvm::toString(std::move(error)));
}

llvm::orc::JITTargetMachineBuilder builder_of(const Target& target) {
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu);
  builder.getFeatures() = llvm::SubtargetFeatures(target.features);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);  // constants lie near their code: no 64-bit address for each
  return builder;
}

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target) {
  if (target.is_nvidia()) {
    std::string error;
    const llvm::Target* const found = llvm::TargetRegistry::lookupTarget(target.triple, error);
    if (!found) throw InternalError("LLVM: " + error);
    return std::unique_ptr<llvm::TargetMachine>(
        found->createTargetMachine(target.triple, target.cpu, target.features, llvm::TargetOptions(), std::nullopt));
  }
  return checked(builder_of(target).createTargetMachine());
}

// Loops are already vectorised when they are emitted, so LLVM's vectorisers are not needed: the passes only clean up.
void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ADCEPass());
  llvm::ModulePassManager manager;
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  manager.run(module, modules);
}

std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, llvm::TargetMachine& target) {
  auto module = std::make_unique<llvm::Module>("weft", context);
  module->setDataLayout(target.createDataLayout());
  module->setTargetTriple(target.getTargetTriple().str());
  return module;
}

// A GPU's object is PTX text.
std::unique_ptr<llvm::MemoryBuffer> make_object(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager emit;
  const auto type =
      target.getTargetTriple().isNVPTX() ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (target.addPassesToEmitFile(emit, out, nullptr, type))
    throw InternalError("LLVM: this target makes no object files");
  emit.run(module);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), false);
}

// Generated code may call the functions of this process and, if available, the C library's vector math.
std::shared_ptr<llvm::orc::LLJIT> make_jit(std::span<const twin::Symbol> symbols = {}) {
  std::shared_ptr<llvm::orc::LLJIT> jit =
      checked(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder_of(Target::host())).create());
  using Search = llvm::orc::DynamicLibrarySearchGenerator;
  const char prefix = jit->getDataLayout().getGlobalPrefix();
  jit->getMainJITDylib().addGenerator(checked(Search::GetForCurrentProcess(prefix)));
  if (void* const library = vector_math_library())
    jit->getMainJITDylib().addGenerator(std::make_unique<Search>(llvm::sys::DynamicLibrary(library), prefix));
  llvm::orc::SymbolMap map;
  for (const auto& [name, address] : symbols)
    map[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  if (!map.empty()) checked(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map))));
  return jit;
}

// Returns the functions of the forms that a kernel of the twin has.
std::shared_ptr<GpuKernel> twin_kernel(llvm::orc::LLJIT& jit, const std::string& name) {
  std::array<twin::Function, gpu_form_count> functions{};
  for (std::size_t form = 0; form < gpu_form_count; ++form) {
    auto found = jit.lookup(twin_function(gpu_function(name, static_cast<GpuForm>(form))));
    if (found)
      functions[form] = found->toPtr<twin::Function>();
    else
      llvm::consumeError(found.takeError());
  }
  return std::make_shared<TwinKernel>(name, functions);
}

void emit_for_gpu(llvm::Module& module, const KernelSource& source, const std::string& name, const Target& target) {
  if (const auto* loop = std::get_if<const Loop*>(&source)) return emit_gpu_loop(module, **loop, name, target);
  if (const auto* attention = std::get_if<const AttentionKernel*>(&source))
    return emit_attention(module, **attention, gpu_function(name, GpuForm::elements), target);
  if (const auto* sort = std::get_if<const RowSort*>(&source)) return emit_row_sort(module, **sort, name, target);
  if (const auto* sum = std::get_if<const RowSum*>(&source)) return emit_row_sum(module, **sum, name, target);
  if (const auto* sort = std::get_if<const SortKernel*>(&source)) return emit_sort(module, **sort, name, target);
  const auto* const fill = std::get_if<const RandomFill*>(&source);
  WEFT_ASSERT(fill, name, " has no code for a GPU");
  emit_random_fill(module, **fill, name, target);
}

void emit(llvm::Module& module, const KernelSource& source, const std::string& name, const Target& target) {
  if (target.is_gpu) return emit_for_gpu(module, source, name, target);
  if (const auto* loop = std::get_if<const Loop*>(&source)) return emit_loop(module, **loop, name, target);
  if (const auto* body = std::get_if<const ir::Graph*>(&source)) return emit_body(module, **body, name, target);
  if (const auto* body = std::get_if<PlacedBody>(&source)) return emit_placed_body(module, *body, name, target);
  if (const auto* whole = std::get_if<const WhileKernel*>(&source)) return emit_while(module, **whole, name, target);
  if (const auto* attention = std::get_if<const CpuAttention*>(&source))
    return emit_cpu_attention(module, **attention, name, target);
  if (const auto* pass = std::get_if<const FftPass*>(&source)) return emit_fft_pass(module, **pass, name, target);
  emit_random_blocks(module, *std::get<const RandomBlocks*>(source), name, target);
}

}  // namespace

std::vector<std::string> make_objects(std::span<const KernelSource> sources, std::span<const std::string> names,
                                      const Target& target) {
  std::vector<std::string> objects(sources.size());
  if (sources.empty()) return objects;
  // One object per kernel: each depends only on its source, so each thread takes the next source when it becomes free.
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      const auto machine = make_machine(target);
      for (std::size_t i = next++; i < sources.size(); i = next++) {
        llvm::LLVMContext context;
        const auto module = make_module(context, *machine);
        emit(*module, sources[i], names[i], target);
        optimise(*module, *machine);
        objects[i] = make_object(*module, *machine)->getBuffer().str();
        if (target.is_nvidia()) objects[i] = assembled(std::move(objects[i]), target);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const std::size_t count = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), sources.size());
  std::vector<std::jthread> threads = start_threads(count - 1, work);
  work();
  threads.clear();  // joins them
  if (failure) std::rethrow_exception(failure);
  return objects;
}

KernelCode load_objects(std::span<const std::string* const> objects, std::span<const std::string> names) {
  KernelCode code;
  if (objects.empty()) return code;
  const auto jit = make_jit();
  for (std::size_t i = 0; i < objects.size(); ++i)
    checked(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*objects[i], names[i])));
  for (const std::string& name : names) code.kernels.push_back(checked(jit->lookup(name)).toPtr<KernelAddress>());
  code.owner = jit;
  return code;
}

KernelCode gpu_kernels(std::span<const std::shared_ptr<const std::string>> objects, std::span<const std::string> names,
                       const Target& target) {
  struct Owner {
    std::shared_ptr<llvm::orc::LLJIT> jit;
    std::vector<std::shared_ptr<GpuKernel>> kernels;
  };
  KernelCode code;
  auto owner = std::make_shared<Owner>();
  if (target.is_twin) owner->jit = make_jit(twin::symbols());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (target.is_twin) {
      checked(owner->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*objects[i], names[i])));
      owner->kernels.push_back(twin_kernel(*owner->jit, names[i]));
    } else {
      owner->kernels.push_back(std::make_shared<CudaKernel>(objects[i], names[i]));
    }
    code.kernels.push_back(owner->kernels.back().get());
  }
  code.owner = std::move(owner);
  return code;
}

std::string show_kernel(const KernelSource& source, CodeForm form, const Target& target) {
  const auto machine = make_machine(target);
  llvm::LLVMContext context;
  const auto module = make_module(context, *machine);
  emit(*module, source, "kernel", target);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (form != CodeForm::llvm) optimise(*module, *machine);
  if (form != CodeForm::assembly) {
    module->print(out, nullptr);
    return text;
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream assembly(bytes);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, assembly, nullptr, llvm::CodeGenFileType::AssemblyFile))
    throw InternalError("LLVM: this target makes no assembly");
  emit.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace weft::compiler
