#include <weft/compiler/loop/tiles.h>

#include <algorithm>

namespace weft::compiler {

namespace {

// Returns the row axis along which most loads run, or -1 if no load runs along one that is long enough.
int axis_of_tiles(const Loop& loop, const Target& target) {
  const auto has = [&](int axis, int least) {
    const Size size = loop.parameters[loop.sizes[axis].parameter];
    return !size.is_constant() || size.value() >= least;
  };
  const int lanes = static_cast<int>(loop.sizes.size()) - 1;
  if (!has(lanes, 2)) return -1;
  std::ptrdiff_t most = 0;
  int best = -1;
  for (int axis = 0; axis < loop.rows; ++axis) {
    if (!has(axis, target.lanes / 2)) continue;  // most of a tile would be empty
    const auto loads = std::ranges::count_if(loop.exprs, [&](const Expr& e) { return runs_along(loop, e, axis); });
    if (loads <= most) continue;
    most = loads;
    best = axis;
  }
  return best;
}

// Makes an axis the last one of the row axes.
void move_to_last_row(Loop& loop, int axis) {
  const auto move = [&](std::vector<Number>& numbers) {
    std::rotate(numbers.begin() + axis, numbers.begin() + axis + 1, numbers.begin() + loop.rows);
  };
  move(loop.sizes);
  for (Expr& e : loop.exprs) {
    if (!e.position.coefficients.empty()) move(e.position.coefficients);
    for (PositionBound& bound : e.bounds) move(bound.index.coefficients);
  }
  for (Store& store : loop.stores) move(store.position.coefficients);
}

}  // namespace

void walk_in_tiles(Loop& loop, const Target& target) {
  constexpr int side = 64;  // a tile of f32 fits into the first-level cache twice
  const auto reduces = [](const Expr& e) { return e.kind == Expr::Kind::reduce; };
  if (target.is_gpu || target.lanes == 1 || loop.walk != Walk::rows || loop.lanes != 1 || loop.stages != 1) return;
  if (std::ranges::any_of(loop.exprs, reduces) || !stores_along_lanes(loop)) return;
  const int axis = axis_of_tiles(loop, target);
  if (axis < 0) return;
  move_to_last_row(loop, axis);
  loop.walk = Walk::tiles;
  loop.tiling.block = loop.tiling.rows_together = side;
}

}  // namespace weft::compiler
