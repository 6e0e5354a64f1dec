#include <weft/compiler/options/target.h>

#include <array>
#include <vector>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

std::string key_of(const Target& target) {
  return concat(target.triple, ' ', target.cpu, ' ', target.features, " LLVM " LLVM_VERSION_STRING);
}

void set_x86(Target& target, int lanes) {
  target.lanes = lanes;
  target.registers = lanes == 16 ? 32 : 16;
  target.has_vector_scale = lanes == 16;
  target.vector_letter = lanes == 16 ? 'e' : lanes == 8 ? 'd' : 'b';
}

// Uses vectors of 128 bits, which every 64-bit ARM has. The size of SVE vectors is not known before the program runs.
void set_arm(Target& target) {
  target.lanes = 4;
  target.registers = 32;
  target.vector_letter = 'n';
}

Target detect_host() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto found = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!found) throw InternalError("LLVM: " + llvm::toString(found.takeError()));
  Target target{.name = "native",
                .triple = found->getTargetTriple().str(),
                .cpu = found->getCPU(),
                .features = found->getFeatures().getString()};
  if (found->getTargetTriple().isAArch64()) {
    set_arm(target);
  } else {
    const auto has = [&](const char* feature) { return llvm::StringRef(target.features).contains(feature); };
    set_x86(target, has("+avx512f") ? 16 : has("+avx2") ? 8 : 4);
    target.has_vector_range = has("+avx512dq");
    target.multiplies_bf16 = has("+avx512bf16");
  }
  target.key = key_of(target);
  return target;
}

// Sets a GPU by its compute capability. PTX 8.3 needs a driver of CUDA 12.3 or newer.
void set_gpu(Target& target) {
  target.features = "+ptx83";
  target.is_gpu = true;
  target.lanes = 1;
  target.registers = 32;
  target.multiplies_bf16 = true;
}

bool is_known_to_llvm(const std::string& triple) {
  std::string error;
  return llvm::TargetRegistry::lookupTarget(triple, error) != nullptr;
}

// Returns the levels of the x86-64 psABI, the baseline of 64-bit ARM, GPUs, and their twins.
std::vector<Target> levels() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  const Target& host = Target::host();
  const llvm::Triple here(host.triple);
  const std::string x86 = here.isX86() ? host.triple : "x86_64-unknown-linux-gnu";
  const std::string arm = here.isAArch64() ? host.triple : "aarch64-unknown-linux-gnu";
  std::vector<Target> made;
  constexpr std::array<std::pair<const char*, int>, 3> known = {
      {{"x86-64-v2", 4}, {"x86-64-v3", 8}, {"x86-64-v4", 16}}};
  for (const auto& [name, lanes] : known) {
    if (!is_known_to_llvm(x86)) break;
    Target& target = made.emplace_back(Target{.name = name, .triple = x86, .cpu = name, .features = ""});
    set_x86(target, lanes);
    target.has_vector_range = lanes == 16;
    target.key = key_of(target);
    target.runs_here = here.isX86() && lanes <= host.lanes;
  }
  if (is_known_to_llvm(arm)) {
    Target& target = made.emplace_back(Target{.name = "armv8-a", .triple = arm, .cpu = "generic", .features = ""});
    set_arm(target);
    target.key = key_of(target);
    target.runs_here = here.isAArch64();
  }
  const std::string gpu = "nvptx64-nvidia-cuda";
  if (is_known_to_llvm(gpu)) {
    for (const char* const name : {"sm_80", "sm_90", "sm_90a"}) {
      Target& target = made.emplace_back(Target{.name = name, .triple = gpu, .cpu = name, .features = ""});
      set_gpu(target);
      target.has_warpgroups = target.name == "sm_90a";
      target.key = key_of(target);
    }
  }
  for (const char* const name : {"twin", "twin_90a"}) {
    Target& twin = made.emplace_back(host);
    set_gpu(twin);
    twin.name = name;
    twin.features = host.features;
    twin.multiplies_bf16 = host.multiplies_bf16;
    twin.has_vector_range = twin.has_vector_scale = false;
    twin.has_warpgroups = twin.name == "twin_90a";
    twin.is_twin = true;
    twin.key = concat(twin.name, ' ', key_of(twin));
  }
  return made;
}

}  // namespace

bool Target::multiplies(DType lhs, DType rhs, DType result) const {
  if (is_nvidia() && lhs == DType::f64) return rhs == DType::f64 && result == DType::f64;
  if (is_nvidia() && lhs == DType::f16) return rhs == DType::f16 && (result == DType::f16 || result == DType::f32);
  if (lhs == DType::f32) return rhs == DType::f32 && result == DType::f32;
  return multiplies_bf16 && lhs == DType::bf16 && rhs == DType::bf16 && (result == DType::bf16 || result == DType::f32);
}

const Target& Target::host() {
  static const auto* const target = new Target(detect_host());
  return *target;
}

const Target& Target::named(std::string_view name) {
  if (name == host().name) return host();
  static const auto* const known = new std::vector<Target>(levels());
  std::string names = host().name;
  for (const Target& target : *known) {
    if (target.name == name) return target;
    names += concat(", ", target.name);
  }
  fail("there is no target named ", name, ": choose one of ", names);
}

}  // namespace weft::compiler
