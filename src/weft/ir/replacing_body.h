// The body of a scatter that replaces elements.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <weft/ir/builder.h>

namespace weft::ir {

// Returns a body that returns its second input, the update.
inline std::shared_ptr<const Graph> replacing_body(DType dtype) {
  const std::array scalars{Type(dtype, {}), Type(dtype, {})};
  return make_graph(scalars, [](Graph&, std::span<const Value> x) { return std::vector{x[1]}; });
}

}  // namespace weft::ir
