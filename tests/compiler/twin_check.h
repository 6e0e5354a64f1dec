// Checks what programs compute on the twin of a GPU.
#pragma once

#include <functional>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::test {

using Body = std::function<std::vector<ir::Value>(ir::Graph&, std::span<const ir::Value>)>;

// Compares the twin's results with the interpreter's: fused and not, strict and not, each with several orders of the threads, which must not
// change a bit. In strict mode, fusion must not either.
void check_on_twin(const ir::Graph& graph, const std::vector<ir::Array>& inputs, compiler::Options options = {});
// The same for the graph of `body` and random inputs of these types.
void check_on_twin(const std::vector<Type>& types, const Body& body, const compiler::Options& options = {});

// Expects that all thunks of the program for a real GPU pass their work to it.
void expect_all_on_gpu(const ir::Graph& graph, compiler::Options options = {});

}  // namespace weft::test
