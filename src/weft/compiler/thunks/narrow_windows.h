// Selection by windows in planes whose rows are shorter than a few vectors, one window after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <weft/base/convert.h>
#include <weft/base/type.h>
#include <weft/ir/attributes.h>
#include <weft/ir/graph.h>
#include <weft/ir/ops/window.h>

namespace weft::compiler {

// Windows of the last two dimensions that keep an element if it compares with the next one in this direction.
struct NarrowWindows {
  // For each row and column of windows, where the rows and columns that they cover lie in the operand's plane, in the order of the window.
  std::vector<std::vector<std::int64_t>> rows, columns;
  std::int64_t plane_elements = 0;  // of the operand
  ir::Direction keeps = ir::Direction::GE;
};

// Returns nullopt if rows are long, if other dimensions have windows, or if `select` is more than a comparison of its operands.
std::optional<NarrowWindows> narrow_windows(Type x, std::span<const ir::WindowDim> window, const ir::Graph& select);

// Calls f(number of the window, offset of the element that it selects) for each window of a plane that covers an element, in order.
template <class T, class F>
void for_selected(const NarrowWindows& windows, const T* plane, F&& f) {
  using Compared = std::conditional_t<is_float_type<T> && sizeof(T) < sizeof(float), float, T>;
  const auto with = [&](auto keeps, auto beats) {
    std::int64_t number = 0;
    for (const std::vector<std::int64_t>& rows : windows.rows)
      for (const std::vector<std::int64_t>& columns : windows.columns) {
        const std::int64_t window = number++;
        if (rows.empty() || columns.empty()) continue;
        std::int64_t selected = rows[0] + columns[0];
        auto held = static_cast<Compared>(plane[selected]);
        for (const std::int64_t row : rows)
          for (const std::int64_t column : columns) {
            const auto next = static_cast<Compared>(plane[row + column]);
            // Neither is a branch, which would often be predicted wrongly.
            selected += (row + column - selected) & -std::int64_t{!keeps(held, next)};
            held = beats(held, next) ? held : next;  // of equal elements, either
          }
        f(window, selected);
      }
  };
  switch (windows.keeps) {
    case ir::Direction::GE: return with(std::greater_equal(), std::greater());
    case ir::Direction::GT: return with(std::greater(), std::greater());
    case ir::Direction::LE: return with(std::less_equal(), std::less());
    default: return with(std::less(), std::less());
  }
}

}  // namespace weft::compiler
