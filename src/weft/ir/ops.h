// The op table. Each header under ops/ declares the primitives of one family with WEFT_OP: one constant each, which becomes an
// entry of the table by its declaration. To add a primitive, write one declaration there and one function in builder.h.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <weft/ir/ops/collective.h>
#include <weft/ir/ops/contraction.h>
#include <weft/ir/ops/control.h>
#include <weft/ir/ops/decomposition.h>
#include <weft/ir/ops/elementwise.h>
#include <weft/ir/ops/embedding.h>
#include <weft/ir/ops/indexing.h>
#include <weft/ir/ops/linalg.h>
#include <weft/ir/ops/opaque.h>
#include <weft/ir/ops/placement.h>
#include <weft/ir/ops/probe.h>
#include <weft/ir/ops/reduction.h>
#include <weft/ir/ops/shape.h>
#include <weft/ir/ops/source.h>

namespace weft::ir::ops {

namespace detail {
// Returns whether an op needs a factor rule: elementwise ops are pointwise, the values of regions have shardings of their own, and
// parameters, collectives and what only the interpreter runs are not split.
constexpr bool needs_factors(const Op& op) {
  return op.kind != Kind::elementwise && op.kind != Kind::collective && op.flow == Flow::none && !op.takes_tokens &&
         !op.interpreted;
}

// Returns whether an op needs a batching rule. Sources have no operands, tokens are of no example, and collectives cannot be batched.
constexpr bool needs_batch(const Op& op) {
  const bool is_of_tokens = op.takes_tokens && op.flow == Flow::none;
  return op.kind != Kind::elementwise && op.kind != Kind::source && op.kind != Kind::collective && !is_of_tokens &&
         !op.interpreted;
}

// Returns whether a pointer to a rule is null. Under -fsanitize=undefined, GCC does not treat `function address == nullptr` as a
// constant expression; it only folds the comparison of a null pointer.
template <class Rule>
constexpr bool missing(Rule rule) {
  return __builtin_constant_p(rule == nullptr) && rule == nullptr;
}

template <std::size_t... sizes>
constexpr auto joined(const std::array<const Op*, sizes>&... families) {
  std::array<const Op*, (sizes + ...)> all{};
  auto at = all.begin();
  ((at = std::ranges::copy(families, at).out), ...);
  return all;
}
}  // namespace detail

inline constexpr auto table =
    detail::joined(collective_family::family, contraction_family::family, control_family::family,
                   decomposition_family::family, elementwise_family::family, embedding_family::family,
                   indexing_family::family, linalg_family::family, opaque_family::family, placement_family::family,
                   probe_family::family, reduction_family::family, shape_family::family, source_family::family);

static_assert(std::ranges::all_of(table,
                                  [](const Op* op) {
                                    return !op->name.empty() && !detail::missing(op->types) &&
                                           !detail::missing(op->gradient) &&
                                           (op->kind == Kind::elementwise) != detail::missing(op->scalar) &&
                                           detail::missing(op->scalar) + detail::missing(op->parts) +
                                                   detail::missing(op->interpret) ==
                                               2 &&
                                           !(detail::needs_factors(*op) && detail::missing(op->factors)) &&
                                           !(detail::needs_batch(*op) && detail::missing(op->batch)) &&
                                           (op->kind == Kind::collective && !op->interpreted) !=
                                               detail::missing(op->single_process);
                                  }),
              "an op of the table lacks a rule");

}  // namespace weft::ir::ops
