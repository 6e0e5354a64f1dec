// Declares ops: WEFT_OP defines the constant and adds it to the table of its family; ops.h joins the tables of all families.
#pragma once

#include <array>
#include <utility>

#include <weft/ir/op.h>

namespace weft::ir::ops::detail {

template <template <int> class Entry, int... I>
constexpr auto table_of(std::integer_sequence<int, I...>) {
  return std::array{Entry<I>::op...};
}

}  // namespace weft::ir::ops::detail

// Usage, within weft::ir::ops: WEFT_FAMILY(name) WEFT_OP(identifier) {.name = "add", ...}; ... WEFT_FAMILY_END. A family's header
// may be included by itself: its table is the same in every file.
// NOLINTBEGIN(bugprone-macro-parentheses): the argument is the declared name
#define WEFT_FAMILY(name)          \
  inline namespace name##_family { \
    template <int>                 \
    struct Entry;                  \
    constexpr int first = __COUNTER__ + 1;
#define WEFT_OP(identifier) WEFT_OP_AT(identifier, __COUNTER__)
#define WEFT_OP_AT(identifier, counter)          \
  extern const Op identifier;                    \
  template <>                                    \
  struct Entry<counter - first> {                \
    static constexpr const Op* op = &identifier; \
  };                                             \
  inline constexpr Op identifier
#define WEFT_FAMILY_END                                                                                                \
  inline constexpr auto family = ops::detail::table_of<Entry>(std::make_integer_sequence<int, __COUNTER__ - first>{}); \
  }
// NOLINTEND(bugprone-macro-parentheses)
