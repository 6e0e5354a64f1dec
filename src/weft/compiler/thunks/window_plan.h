// Sliding windows in the form that folds need. Results come in planes of the last two dimensions, and all results of a plane are folded in
// step: first the first element of each window, then the second... For a block of the plane, element k of the windows lies on elements of
// the operand at a fixed step, or on padding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <weft/base/type.h>
#include <weft/compiler/thunks/body.h>
#include <weft/ir/ops/window.h>

namespace weft::compiler {

class WindowPlan {
 public:
  // Takes one window per dimension of an operand of type `x`.
  WindowPlan(Type x, std::span<const ir::WindowDim> window);

  std::int64_t planes() const { return planes_; }
  std::int64_t plane_elements() const { return plane_[0].positions * plane_[1].positions; }
  std::int64_t window_elements() const { return window_elements_; }
  // Returns how many neighbouring planes share elements of the operand; planes farther apart share none.
  std::int64_t connected_planes() const { return connected_; }
  // Positions along the plane's two dimensions.
  std::int64_t plane_rows() const { return plane_[0].positions; }
  std::int64_t plane_width() const { return plane_[1].positions; }

  // A part of a plane: positions [0, rows) x [0, columns) from element `place.start` of the plane on. `from` says where the element of
  // their windows lies in the operand.
  struct Block {
    std::int64_t rows, columns;
    Rows place, from;
    bool padding;
  };

  // Calls fold(k, block) for each element k of the windows at rows [first, last) of a plane, in row-major order, once for each block of the
  // element.
  template <class F>
  void for_plane(std::int64_t plane, std::int64_t first, std::int64_t last, F&& fold) const {
    std::int64_t position[Type::max_rank] = {};
    for (std::size_t d = leading_.size(); d-- > 0;) {
      position[d] = plane % leading_[d].positions;
      plane /= leading_[d].positions;
    }
    std::int64_t k = 0;
    walk(0, position, 0, first, last, k, fold);
  }

  // Computes where each element of the window at position (0, 0) of a plane would lie if the operand had no ends. Meaningless for elements
  // that are padding in the dimensions before the plane's. Other positions of the plane lie whole steps further.
  void find_offsets(std::int64_t plane, std::vector<std::int64_t>& offsets) const;
  std::int64_t row_step() const { return plane_[0].step; }
  std::int64_t column_step() const { return plane_[1].step; }

 private:
  struct Piece {
    std::int64_t begin, count;
    std::int64_t from, step;
    bool padding;
  };
  struct Leading {
    std::int64_t positions, window;
    std::vector<std::int64_t> offsets;  // for each position and element of the window; nowhere for padding
  };
  static constexpr std::int64_t nowhere = INT64_MIN;
  struct Planar {
    std::int64_t positions = 1, window = 1, step = 0;
    std::vector<std::int64_t> origins{0};                           // for each element of the window at position 0
    std::vector<std::vector<Piece>> pieces{{{0, 1, 0, 0, false}}};  // for each element of the window
  };

  static Planar planar(const ir::WindowDim& w, std::int64_t size, std::int64_t stride);

  template <class F>
  void walk(std::size_t d, const std::int64_t* position, std::int64_t offset, std::int64_t first, std::int64_t last,
            std::int64_t& k, F& fold) const {
    if (d == leading_.size()) {
      for (const auto& rows : plane_[0].pieces)
        for (const auto& columns : plane_[1].pieces) {
          const auto fold_block = [&](const Block& block) { fold(k, block); };
          for_blocks(rows, columns, offset, first, last, fold_block);
          ++k;
        }
      return;
    }
    const Leading& dim = leading_[d];
    for (std::int64_t i = 0; i < dim.window; ++i) {
      const std::int64_t at = dim.offsets[position[d] * dim.window + i];
      walk(d + 1, position, offset == nowhere || at == nowhere ? nowhere : offset + at, first, last, k, fold);
    }
  }

  template <class F>
  void for_blocks(const std::vector<Piece>& rows, const std::vector<Piece>& columns, std::int64_t offset,
                  std::int64_t first, std::int64_t last, F&& fold) const {
    const std::int64_t width = plane_width();
    if (offset == nowhere) return fold(Block{last - first, width, {first * width, width, 1}, {}, true});
    for (const Piece& row : rows) {
      const std::int64_t begin = std::max(row.begin, first), end = std::min(row.begin + row.count, last);
      if (begin >= end) continue;
      const std::int64_t from = offset + row.from + (begin - row.begin) * row.step;
      for (const Piece& column : columns)
        fold(Block{end - begin,
                   column.count,
                   {begin * width + column.begin, width, 1},
                   {from + column.from, row.step, column.step},
                   row.padding || column.padding});
    }
  }

  std::vector<Leading> leading_;
  std::array<Planar, 2> plane_;
  std::vector<std::int64_t> origins_;  // for each element of the window in the plane
  std::int64_t planes_ = 1, window_elements_ = 1, connected_ = 1;
};

}  // namespace weft::compiler
