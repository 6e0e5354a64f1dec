// Emits a body of rank-0 values as an LLVM function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Adds void name(i64 outer, i64 inner, ptr buffers, ptr outer strides, ptr inner strides) to the module: a BodyKernel.
void emit_body(llvm::Module& module, const ir::Graph& body, const std::string& name, const Target& target);

// Emits what the body computes of these inputs at the emitter's position, and returns the outputs.
std::vector<ir::Scalar> emit_scalars(const ir::Graph& body, std::span<const ir::Scalar> inputs, ScalarEmitter& emitter);

}  // namespace weft::compiler
