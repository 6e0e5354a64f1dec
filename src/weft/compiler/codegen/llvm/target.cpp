#include <weft/compiler/options/target.h>

#include <array>
#include <vector>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Support/TargetSelect.h>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

std::string key_of(const Target& target) {
  return concat(target.triple, ' ', target.cpu, ' ', target.features, " LLVM " LLVM_VERSION_STRING);
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
  const auto has = [&](const char* feature) { return llvm::StringRef(target.features).contains(feature); };
  target.lanes = has("+avx512f") ? 16 : has("+avx2") ? 8 : 4;
  target.registers = target.lanes == 16 ? 32 : 16;
  target.has_vector_range = has("+avx512dq");
  target.multiplies_bf16 = has("+avx512bf16");
  target.key = key_of(target);
  return target;
}

// The levels of the x86-64 psABI.
std::vector<Target> levels() {
  const Target& host = Target::host();
  std::vector<Target> made;
  if (!host.triple.starts_with("x86_64")) return made;
  constexpr std::array<std::pair<const char*, int>, 3> known = {
      {{"x86-64-v2", 4}, {"x86-64-v3", 8}, {"x86-64-v4", 16}}};
  for (const auto& [name, lanes] : known) {
    Target& target = made.emplace_back(Target{.name = name, .triple = host.triple, .cpu = name, .features = ""});
    target.lanes = lanes;
    target.registers = lanes == 16 ? 32 : 16;
    target.has_vector_range = lanes == 16;
    target.key = key_of(target);
    target.runs_here = lanes <= host.lanes;
  }
  return made;
}

}  // namespace

bool Target::multiplies(DType lhs, DType rhs, DType result) const {
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
