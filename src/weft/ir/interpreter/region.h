// The body of a reduction, a scatter or a sort: a graph from rank-0 values to rank-0 values, applied to many rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <weft/ir/graph.h>
#include <weft/ir/interpreter/rules.h>

namespace weft::ir::interpreter {

class Region {
 public:
  Region(const Graph& graph, const Context& context);

  // Applies the body to `rows` sets of inputs. inputs[i] and outputs[i] have one element per row and do not overlap.
  void apply(std::int64_t rows, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs) const;

 private:
  void apply_columns(std::int64_t rows, std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs) const;
  void apply_one(std::int64_t row, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs) const;

  const Graph& graph_;
  const Context& context_;
  bool elementwise_;  // only elementwise ops and constants, so whole columns can be computed at once
};

}  // namespace weft::ir::interpreter
