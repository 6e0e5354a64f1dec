// Says where the sizes of a graph's values come from: follows each dimension through every op back to the inputs, so that "why 256?" has an
// answer such as "input 0 dim 0 / 2".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class DimSources {
 public:
  // `constants` replace the graph's last inputs.
  DimSources(const ir::Graph& graph, const SizeValues& sizes, std::span<const std::vector<std::byte>> constants);

  // Returns a text for each dimension: "input 0 dim 1", "(input 0 dim 0) * (input 0 dim 1)", "constant 4". Empty for values of other
  // graphs.
  const std::vector<std::string>& of(ir::Value value) const;

 private:
  std::unordered_map<ir::Value, std::vector<std::string>, ir::ValueHash> known_;
};

}  // namespace weft::compiler
