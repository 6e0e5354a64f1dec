// StableHLO text in and out.
//
// Read: the pretty and the generic form, as StableHLO, JAX and PyTorch/XLA write them, old attribute spellings too. A call is
// replaced by the body of the function it calls; `stablehlo.composite` keeps its decomposition as a region. A value that a
// region uses from outside becomes an operand (if, case, while) or, if it is a constant, a copy inside. Attributes that
// change no result (donation, shardings, names) are kept as annotations.h says, and locations.
//
// Written: one form, generic and conservative, that MLIR accepts; the same graph always gives the same text.
//
// Whatever the text, the result is a graph or an Error `line:column: what is wrong`; limits are checked before memory is taken.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

struct ParseLimits {
  std::size_t bytes = std::size_t{1} << 30;  // of text
  int depth = 256;                           // of nested regions, attributes and calls
  std::int64_t operations = 1'000'000;       // calls count as what they call
  int rank = Type::max_rank;
  std::int64_t elements = std::int64_t{1} << 31;  // of one tensor
};

// Functions in the order of the text, each named as there; private functions are only what others call.
struct Module {
  std::vector<std::shared_ptr<Graph>> functions;

  // The function named main, or the only one. Throws Error if there is none.
  const std::shared_ptr<Graph>& main() const;
};

// Reads one module. `first_line` is the number of the text's first line in error messages. With the name of the text's `file`,
// operations whose loc(...) tells no file are located there, at their line; without it they have no place.
Module parse_module(std::string_view text, const ParseLimits& limits = {}, int first_line = 1,
                    std::string_view file = {});

// The main function of the module.
std::shared_ptr<Graph> parse(std::string_view text, const ParseLimits& limits = {});

// A file may hold several modules, separated by lines `// -----`.
struct Section {
  std::string_view text;
  int first_line;
};
std::vector<Section> split_sections(std::string_view text);

struct PrintOptions {
  bool locations = false;  // append loc("scope"("file":line:0))
  bool portable = false;   // only what every reader of StableHLO knows: stop_gradient, which is ours, is left out
};

// A function named as the graph, and private functions for the decompositions of composites.
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string print(const Module& module, const PrintOptions& options = {});

}  // namespace weft::ir

namespace weft::stablehlo {
using ir::print;
using ir::PrintOptions;
}  // namespace weft::stablehlo
