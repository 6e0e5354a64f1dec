#include <weft/compiler/thunks/narrow_windows.h>

#include <algorithm>
#include <array>

#include <weft/compiler/thunks/window_taps.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

std::optional<NarrowWindows> narrow_windows(Type x, std::span<const ir::WindowDim> window, const ir::Graph& select) {
  constexpr std::int64_t narrow = 16;  // a longer row is worth folding vector by vector
  const std::size_t rank = window.size();
  if (rank < 2 || !std::ranges::all_of(window.first(rank - 2), &ir::WindowDim::is_trivial)) return std::nullopt;
  const std::int64_t height = x.size(static_cast<int>(rank) - 2), width = x.size(static_cast<int>(rank) - 1);
  const std::int64_t row_count = window[rank - 2].positions(height), column_count = window[rank - 1].positions(width);
  if (column_count > narrow) return std::nullopt;
  const ir::Node& compare = *select.outputs()[0].node;
  const auto* comparison = compare.attributes_if<ir::CompareAttributes>();
  if (!comparison || compare.operand(0) != select.inputs()[0] || compare.operand(1) != select.inputs()[1])
    return std::nullopt;
  constexpr std::array directions = {ir::Direction::GE, ir::Direction::GT, ir::Direction::LE, ir::Direction::LT};
  const bool is_total = comparison->type == ir::Comparison::TOTALORDER;
  if (is_total || std::ranges::find(directions, comparison->direction) == directions.end()) return std::nullopt;
  NarrowWindows windows;
  windows.plane_elements = height * width;
  windows.keeps = comparison->direction;
  const auto places = [](const std::vector<std::vector<Tap>>& taps, std::int64_t stride) {
    std::vector<std::vector<std::int64_t>> all;
    for (const std::vector<Tap>& of_position : taps) {
      std::vector<std::int64_t>& these = all.emplace_back();
      for (const Tap& tap : of_position) these.push_back(tap.base * stride);
    }
    return all;
  };
  windows.rows = places(window_taps(window[rank - 2], height, row_count), width);
  windows.columns = places(window_taps(window[rank - 1], width, column_count), 1);
  return windows;
}

}  // namespace weft::compiler
