// Reads and writes StableHLO text.
//
// Reading accepts the pretty and the generic form as StableHLO, JAX and PyTorch/XLA write them, including old attribute
// spellings. A call is replaced by the body of the function that it calls; `stablehlo.composite` keeps its decomposition as a
// region. A value that a region uses from outside becomes an operand (if, case, while) or, if it is a constant, a copy inside the
// region. Locations are kept; attributes that change no result (donation, shardings, names) are kept as annotations.h says.
//
// Writing uses a single form, generic and conservative, that MLIR accepts; the same graph always gives the same text.
//
// For any text, the result is a graph or an Error `line:column: what is wrong`; limits are checked before memory is allocated.
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
  int depth = 256;                           // nesting of regions, attributes and calls
  std::int64_t operations = 1'000'000;       // a call counts as the operations that it calls
  int rank = Type::max_rank;
  std::int64_t elements = std::int64_t{1} << 31;  // of one tensor
};

// The functions in the order of the text, with their names; private functions that are only called are left out.
struct Module {
  std::vector<std::shared_ptr<Graph>> functions;

  // Returns the function named main, or the only one. Throws Error if there is none.
  const std::shared_ptr<Graph>& main() const;
};

// Reads one module. `first_line` is the number of the text's first line in error messages. If `file` names the text's file, an
// operation whose loc(...) gives no file is located at its line in that file; otherwise it has no location.
Module parse_module(std::string_view text, const ParseLimits& limits = {}, int first_line = 1,
                    std::string_view file = {});

// Returns the main function of the module.
std::shared_ptr<Graph> parse(std::string_view text, const ParseLimits& limits = {});

// A module of a file that holds several modules, separated by lines `// -----`.
struct Section {
  std::string_view text;
  int first_line;
};
std::vector<Section> split_sections(std::string_view text);

struct PrintOptions {
  bool locations = false;  // appends loc("scope"("file":line:0))
  bool portable = false;   // writes only what every StableHLO reader knows: omits stop_gradient, weft's own op
};

// Writes a function with the graph's name, and private functions for the decompositions of composites.
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string print(const Module& module, const PrintOptions& options = {});

}  // namespace weft::ir

namespace weft::stablehlo {
using ir::print;
using ir::PrintOptions;
}  // namespace weft::stablehlo
