#include <weft/ir/bytecode/write_bytecode.h>

#include <weft/ir/bytecode/module_writer.h>
#include <weft/ir/bytecode/portable.h>
#include <weft/ir/op.h>
#include <weft/ir/text/parser.h>

namespace weft::ir {

namespace {

void require_known_sizes(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    for (const Type& type : node->types)
      for (const Dim size : type.dims())
        require(size.is_constant(), "bytecode holds tensors of known sizes; ", node->op->name, " in @", graph.name,
                " has the type ", type, "; give the inputs constant sizes");
    for (const auto& region : node->regions) require_known_sizes(*region);
  }
}

// Messages name places, so they are printed in any case.
PrintOptions with_locations(PrintOptions options) {
  options.locations = true;
  return options;
}

std::string write_text(const std::string& text, const BytecodeOptions& options) {
  require(options.target >= oldest_stablehlo && options.target <= newest_stablehlo, "StableHLO ", options.target,
          " is not written; choose a version from ", oldest_stablehlo, " to ", newest_stablehlo);
  const text::Source source{text};
  const ParseLimits limits;
  const text::SyntaxModule module = text::Parser(source, limits).module();
  return bytecode::ModuleWriter(source, module, options.target, limits.depth, options.print.locations).write();
}

}  // namespace

std::string write_bytecode(const Module& module, const BytecodeOptions& options) {
  Module portable;
  for (const auto& function : module.functions) {
    require_known_sizes(*function);
    const auto changed = bytecode::with_erf_as_composite(*function);
    portable.functions.push_back(changed ? changed : function);
  }
  return write_text(print(portable, with_locations(options.print)), options);
}

std::string write_bytecode(const Graph& graph, const BytecodeOptions& options) {
  require_known_sizes(graph);
  const auto changed = bytecode::with_erf_as_composite(graph);
  return write_text(print(changed ? *changed : graph, with_locations(options.print)), options);
}

bool is_bytecode_name(std::string_view file) { return file.ends_with(".mlir.bc") || file.ends_with(".mlirbc"); }

}  // namespace weft::ir
