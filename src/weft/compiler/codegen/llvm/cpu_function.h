// Makes functions of a CPU.
#pragma once

#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds an empty function without a result to the module, whose code may use the target's whole vectors.
inline llvm::Function* make_cpu_function(llvm::Module& module, const std::string& name,
                                         llvm::ArrayRef<llvm::Type*> arguments, const Target& target) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  const std::string bits = std::to_string(target.lanes * 32);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  return function;
}

}  // namespace weft::compiler
