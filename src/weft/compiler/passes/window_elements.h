// Elements of windows as slices of the operand, for windows of so few elements that each may have code of its own.
#pragma once

#include <cstdint>
#include <span>

#include <weft/base/type.h>
#include <weft/ir/graph.h>
#include <weft/ir/ops/window.h>

namespace weft::compiler {

// A kernel has code of its own for each element of a window.
inline constexpr std::int64_t most_window_elements = 64;

std::int64_t elements_of(std::span<const ir::WindowDim> windows);

// Returns whether the sizes of all dimensions with windows are known, of the operand and of the result, and none of theirs is 0. Others may be
// symbols.
bool has_known_windows(std::span<const ir::WindowDim> windows, Type operand, Type result);

// Returns the operand with its padding and with the holes of its dilation.
ir::Value padded(ir::Value x, ir::Value padding, std::span<const ir::WindowDim> windows);

// Returns element number `k`, in row-major order, of every window of what `padded` returned. `result` has the number of windows.
ir::Value element_of_windows(ir::Value x, std::int64_t k, std::span<const ir::WindowDim> windows, Type result);

}  // namespace weft::compiler
