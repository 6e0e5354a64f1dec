// How an op is declared: WEFT_OP makes the constant and enters it into the table of ops.h.
#pragma once

#include <weft/ir/builder.h>
#include <weft/ir/op.h>

namespace weft::ir::ops::detail {
template <int>
struct Entry;
inline constexpr int first = __COUNTER__ + 1;
}  // namespace weft::ir::ops::detail

// WEFT_OP(identifier) {.name = "add", ...}; within weft::ir::ops.
// NOLINTBEGIN(bugprone-macro-parentheses): the argument is declared
#define WEFT_OP(identifier) WEFT_OP_AT(identifier, __COUNTER__)
#define WEFT_OP_AT(identifier, counter)           \
  extern const Op identifier;                     \
  template <>                                     \
  struct detail::Entry<counter - detail::first> { \
    static constexpr const Op* op = &identifier;  \
  };                                              \
  inline constexpr Op identifier
// NOLINTEND(bugprone-macro-parentheses)
